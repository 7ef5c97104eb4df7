// Time limits of all connections of an event loop, kept by one timer.
//
// Moving a limit costs a store: the timer is set again only when a limit is earlier than what it is
// set for, and looks through all limits when it fires. With no limits there is no timer, so an idle
// server never runs.
#pragma once

#include <boost/intrusive/list.hpp>

#include "proxy/server/asio.h"
#include "proxy/server/waiter.h"

namespace tare::server {

class Deadlines;

// A limit of one owner; it leaves the list when it is destroyed.
class Deadline : public boost::intrusive::list_base_hook<
                     boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  Deadline(Deadlines& all, Wakeable& owner);

  // The owner is woken `after` from now, unless the limit is moved or cleared before.
  void set(Clock::duration after);
  void clear() { at_ = Clock::time_point::max(); }
  bool expired() const { return at_ != Clock::time_point::max() && Clock::now() >= at_; }

 private:
  friend class Deadlines;
  Deadlines& all_;
  Wakeable& owner_;
  Clock::time_point at_ = Clock::time_point::max();
};

class Deadlines {
 public:
  explicit Deadlines(asio::io_context& io) : timer_(io.get_executor()) {}

  // Ends the timer, so that the event loop can end.
  void stop();

 private:
  friend class Deadline;
  using List = boost::intrusive::list<Deadline, boost::intrusive::constant_time_size<false>>;

  void arm(Clock::time_point at);
  void fire();

  Timer timer_;
  Clock::time_point armed_for_ = Clock::time_point::max();
  bool stopped_ = false;
  List list_;
};

}  // namespace tare::server

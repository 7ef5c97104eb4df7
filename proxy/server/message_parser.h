// Beast's incremental parser, made to keep a head's fields as they came and to hand out a body's
// bytes without copying.
//
// Give it a whole head first (scan_head() finds its end), then any bytes of the body. Beast does
// the syntax and the body's delimitation; what it lets through and should not is refused by
// header_policy.h.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "proxy/server/header_policy.h"
#include "proxy/server/message.h"

namespace tare::server {

template <bool is_request>
class MessageParser final : public boost::beast::http::basic_parser<is_request> {
  using Base = boost::beast::http::basic_parser<is_request>;
  using Code = boost::beast::error_code;
  using View = boost::beast::string_view;

 public:
  using Head = std::conditional_t<is_request, RequestHead, ResponseHead>;

  MessageParser() {
    this->eager(true);
    this->body_limit(boost::none);
    // Limits on the head are the reader's, which gives whole heads only.
    this->header_limit(std::numeric_limits<std::uint32_t>::max());
    head_.fields.reserve(24);
  }

  // Parses a part of the message; the body's bytes in it are appended to `payload` as views.
  // Returns the bytes used. What is left is to be given again with more behind it. False when the
  // message is malformed.
  bool parse(std::string_view bytes, std::vector<boost::asio::const_buffer>& payload,
             std::size_t& used) {
    used = 0;
    // Beast 1.81 must not see an empty chunked body that is cut: no body is shorter than this.
    constexpr std::size_t empty_chunked_body = std::string_view("0\r\n\r\n").size();
    if (this->is_header_done() && this->chunked() && !chunk_seen_ &&
        bytes.size() < empty_chunked_body) {
      return true;
    }
    payload_ = &payload;
    Code failure;
    used = this->put(boost::asio::const_buffer(bytes.data(), bytes.size()), failure);
    bad_version_ = failure == boost::beast::http::error::bad_version;
    return !failure || failure == boost::beast::http::error::need_more;
  }

  // The connection has ended. True when that is a proper end of the message.
  bool end() {
    Code failure;
    this->put_eof(failure);
    return !failure;
  }

  const Head& head() const { return head_; }
  // "name: value CRLF" of each field behind a chunked body that may be sent on.
  const std::string& trailers() const { return trailers_; }
  // parse() has failed because of the protocol's version.
  bool bad_version() const { return bad_version_; }

 private:
  static std::string_view plain(View view) { return {view.data(), view.size()}; }

  void on_request_impl(boost::beast::http::verb, View method, View target, int version,
                       Code&) override {
    if constexpr (is_request) {
      head_.method = plain(method);
      head_.target = plain(target);
      head_.version = version;
    }
  }
  void on_response_impl(int status, View reason, int version, Code&) override {
    if constexpr (!is_request) {
      head_.status = static_cast<unsigned>(status);
      head_.reason = plain(reason);
      head_.version = version;
    }
  }
  void on_field_impl(boost::beast::http::field, View name, View value, Code&) override {
    if (!this->is_header_done()) {
      head_.fields.push_back({plain(name), plain(value)});
      if (equal_names(plain(name), "connection")) connection_.append(plain(value)).append(",");
    } else if (may_be_trailer(plain(name)) && !is_named_by_connection(plain(name))) {
      trailers_.append(plain(name)).append(": ").append(plain(value)).append("\r\n");
    }
  }
  bool is_named_by_connection(std::string_view name) const {
    bool named = false;
    for_each_token(connection_, [&](std::string_view token) { named |= equal_names(token, name); });
    return named;
  }
  void on_header_impl(Code&) override {}
  void on_body_init_impl(boost::optional<std::uint64_t> const&, Code&) override {}
  std::size_t on_body_impl(View body, Code&) override {
    payload_->emplace_back(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, View, Code&) override { chunk_seen_ = true; }
  std::size_t on_chunk_body_impl(std::uint64_t, View body, Code&) override {
    payload_->emplace_back(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(Code&) override {}

  Head head_;
  std::string connection_;  // the head's Connection fields: its bytes are gone when trailers come
  std::string trailers_;
  std::vector<boost::asio::const_buffer>* payload_ = nullptr;
  bool bad_version_ = false;
  bool chunk_seen_ = false;
};

using RequestParser = MessageParser<true>;
using ResponseParser = MessageParser<false>;

}  // namespace tare::server

// Many tests at once. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tare::analysis {

// The p-values, each adjusted so that calling those at most alpha keeps the chance of any false
// call in the family at alpha: Holm, "A Simple Sequentially Rejective Multiple Test Procedure",
// Scandinavian Journal of Statistics 6 (1979). In the order given; none of none.
std::vector<double> holm(std::span<const double> p_values);

// The confidence of each of `count` intervals that together cover at `confidence`: Bonferroni's
// inequality, as in Dunn, "Multiple Comparisons Among Means", JASA 56 (1961). Of none: unchanged.
double bonferroni_confidence(double confidence, std::size_t count);

}  // namespace tare::analysis

#!/usr/bin/env Rscript
# Reference values of the statistics, by R: statistics_reference.R writes tests/golden/statistics.json, --check computes them
# again and compares. tests/unit/analysis/statistics_reference_test.cpp holds analysis/ to the file. Needs r-base-core.

arguments <- commandArgs()
folder <- dirname(sub("--file=", "", grep("--file=", arguments, value = TRUE)[1]))
file <- file.path(folder, "..", "golden", "statistics.json")

number <- function(x) format(x, digits = 15, scientific = abs(x) < 1e-4 && x != 0)
quoted <- function(x) paste0('"', x, '"')
array <- function(items) paste0("[", paste(items, collapse = ", "), "]")
numbers <- function(x) array(vapply(x, number, ""))
object <- function(...) {
  fields <- list(...)
  paste0("{", paste0(quoted(names(fields)), ": ", unlist(fields), collapse = ", "), "}")
}

sides <- c(less = "less", greater = "greater", "two-sided" = "two.sided")
chosen <- function(below, above, side) switch(side, less = below, greater = above, two.sided = min(1, 2 * min(below, above)))

# R's exact test takes no ties and no zeros: there, every choice of signs is counted.
signed_rank_p <- function(x, shift, side) {
  moved <- (x - shift)[x != shift]
  if (!anyDuplicated(abs(moved))) return(wilcox.test(moved, alternative = side, exact = TRUE)$p.value)
  ranks <- rank(abs(moved))
  sums <- as.matrix(expand.grid(rep(list(0:1), length(ranks)))) %*% ranks
  seen <- sum(ranks[moved > 0])
  chosen(mean(sums <= seen + 1e-9), mean(sums >= seen - 1e-9), side)
}
hodges_lehmann <- function(x) {
  sums <- outer(x, x, "+") / 2
  median(sums[upper.tri(sums, diag = TRUE)])
}
signed_rank <- function(name, x) {
  p <- vapply(sides, function(side) {
    shifts <- c("0", "0.05", "-0.05")
    paste0("{", paste0(quoted(shifts), ": ", vapply(as.numeric(shifts), function(s) number(signed_rank_p(x, s, side)), ""),
                       collapse = ", "), "}")
  }, "")
  t95 <- if (length(unique(x)) > 1) t.test(x)$conf.int else c(x[1], x[1])
  object(name = quoted(name), values = numbers(x), hodges_lehmann = number(hodges_lehmann(x)),
         p = paste0("{", paste0(quoted(names(sides)), ": ", p, collapse = ", "), "}"), student95 = numbers(t95))
}
interval <- function(name, x, confidence) {
  found <- wilcox.test(x, conf.int = TRUE, conf.level = confidence, exact = TRUE)$conf.int
  object(name = quoted(name), values = numbers(x), confidence = number(confidence), interval = numbers(found))
}
rank_sum_p <- function(a, b, side) {
  if (!anyDuplicated(c(a, b))) return(wilcox.test(b, a, alternative = side, exact = TRUE)$p.value)
  ranks <- rank(c(a, b))
  seen <- sum(ranks[-seq_along(a)])
  sums <- combn(length(ranks), length(b), function(places) sum(ranks[places]))
  chosen(mean(sums <= seen + 1e-9), mean(sums >= seen - 1e-9), side)
}
rank_sum <- function(name, a, b) {
  p <- vapply(sides, function(side) number(rank_sum_p(a, b, side)), "")
  within <- if (anyDuplicated(c(a, b))) "null" else numbers(wilcox.test(b, a, conf.int = TRUE, exact = TRUE)$conf.int)
  object(name = quoted(name), a = numbers(a), b = numbers(b), shift = number(median(outer(b, a, "-"))),
         p = paste0("{", paste0(quoted(names(sides)), ": ", p, collapse = ", "), "}"), interval = within)
}

set.seed(20261130)
draw <- function(n, shift = 0) round(rnorm(n, shift, 0.04), 6)
sets <- list("n=12" = draw(12), "n=12, shifted" = draw(12, 0.1), "n=24" = draw(24), "n=24, shifted" = draw(24, -0.08),
             "n=6" = draw(6), "n=40, t3" = round(rt(40, 3) * 0.02, 6))
tied <- list(ties = c(0.01, 0.01, -0.01, 0.02, 0.02, 0.03, -0.02, 0.06), zeros = c(0, 0, 0.02, -0.01, 0.04, 0.03, 0.06),
             "all equal" = rep(0.02, 7))
large <- round(rnorm(150, 0.003, 0.02), 6)
many <- list(a = draw(50), b = draw(60, 0.02))
p_values <- c(0.001, 0.04, 0.03, 0.0004, 0.2, 0.9)

each <- function(list, f) array(paste0("\n  ", mapply(f, names(list), list)))
quantiles <- expand.grid(p = c(0.9, 0.975, 0.9995), freedom = c(1, 2, 3, 11, 23, 100))
places <- expand.grid(t = c(-3, -0.2, 0, 1.7), freedom = c(1, 2, 5, 12))
text <- object(
  made_by = quoted("tests/cross/statistics_reference.R"),
  signed_rank = each(c(sets, tied), signed_rank),
  signed_rank_large = object(values = numbers(large), p = number(wilcox.test(large, exact = FALSE, correct = TRUE)$p.value)),
  intervals = array(paste0("\n  ", unlist(lapply(names(sets), function(name) lapply(c(0.9, 0.95, 0.995), function(confidence)
    if (confidence < 0.99 || length(sets[[name]]) > 8) interval(name, sets[[name]], confidence)))))),
  rank_sum = array(c(rank_sum("6 and 8", draw(6), draw(8, 0.05)), rank_sum("12 and 12", draw(12), draw(12)),
                     rank_sum("ties", c(1, 2, 2, 3, 5), c(2, 3, 4, 4, 5, 6)))),
  rank_sum_large = object(a = numbers(many$a), b = numbers(many$b),
                          p = number(wilcox.test(many$b, many$a, exact = FALSE, correct = TRUE)$p.value)),
  student_quantiles = array(mapply(function(p, f) object(p = number(p), freedom = f, t = number(qt(p, f))), quantiles$p, quantiles$freedom)),
  student_below = array(mapply(function(t, f) object(t = number(t), freedom = f, p = number(pt(t, f))), places$t, places$freedom)),
  normal_quantiles = array(vapply(c(0.001, 0.5, 0.975, 0.99999), function(p) object(p = number(p), z = number(qnorm(p))), "")),
  holm = object(p = numbers(p_values), adjusted = numbers(p.adjust(p_values, "holm"))))
text <- gsub("], \"", "],\n \"", text, fixed = TRUE)

if ("--check" %in% arguments) {
  if (!identical(paste(readLines(file), collapse = "\n"), text)) {
    stop("statistics.json is not what R computes: run this without --check and look at the difference")
  }
  cat("statistics: the reference values are R's\n")
} else {
  writeLines(text, file)
}

#!/usr/bin/env bash
# R 4.2.2, fisher.test: the interval of the odds ratio where the ratio is small.
#
# Guessed: exact, as its p-value is. Seen: the limits are found by uniroot with its default tolerance, 1.2e-4, which is
# absolute for ratios below 1: a lower limit of 2.8e-07 is 0, an upper one of 6.2e-05 is 1.2e-4, and one of .000242 is 10 %
# off. Above 1 it is 1/t that is searched: of the first table turned around the limits are 8.4e3 and 4.5e15, and should be
# 1.6e4 and 3.6e6. The right ones are where the tails by R's own dhyper are 2.5 %.
set -euo pipefail
command -v Rscript >/dev/null || { echo "this needs R"; exit 1; }
seen=$(mktemp)
trap 'rm -f "$seen"' EXIT
Rscript --vanilla - <<'R' | tee "$seen"
cat("R ", R.version$major, ".", R.version$minor, "\n", sep = "")
right <- function(a, b, c, d) {
  rows <- a + b; others <- c + d; column <- a + c
  support <- max(0, column - others):min(rows, column)
  mass <- dhyper(support, rows, others, column, log = TRUE)
  limit <- function(tail) exp(uniroot(function(t) {
    weight <- exp(mass + t * support - max(mass + t * support))
    sum(weight[tail]) / sum(weight) - .025
  }, c(-40, 40), tol = 1e-12)$root)
  c(limit(support >= a), limit(support <= a))
}
for (t in list(c(1, 9999, 9000, 1000), c(1, 999, 900, 100), c(2, 998, 500, 500), c(9000, 1000, 1, 9999)))
  cat(paste(t, collapse = " "), ": ", sprintf("%.3g ", fisher.test(matrix(t, 2, byrow = TRUE))$conf.int), "right ",
      sprintf("%.3g ", do.call(right, as.list(t))), "\n", sep = "")
R

diff - "$seen" <<'SEEN' || { echo "R does something else now"; exit 1; }
R 4.2.2
1 9999 9000 1000: 0 0.000119 right 2.81e-07 6.21e-05 
1 999 900 100: 0 0.000646 right 2.81e-06 0.000643 
2 998 500 500: 0.000216 0.00737 right 0.000242 0.00735 
9000 1000 1 9999: 8.4e+03 4.5e+15 right 1.61e+04 3.56e+06 
SEEN

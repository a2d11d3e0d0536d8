#!/usr/bin/env bash
# epiR 2.0.57 with R 4.2.2, epi.2by2: the one-sided p-value of Fisher's test.
#
# Guessed: that of R's fisher.test with one alternative. Seen: half the two-sided one. That is right where both tails
# are as large, and where the other tail has no table as unlikely as the observed one, the two-sided p-value is that
# of one side already, and its half is half of what is right: .0476 for .0952 of 3 of 10 and 1 of 20, on the other
# side of 5 %. Of two equal groups of ten it is .5, for .6719.
set -euo pipefail
command -v Rscript >/dev/null || { echo "this needs R"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download r-cran-epir=2.0.57+dfsg-1 >apt.log 2>&1 || { cat apt.log; exit 1; }
dpkg-deb -x r-cran-epir_*.deb .
Rscript --vanilla - 2>/dev/null <<'R' | tee seen
epir <- new.env()
# It is loaded without the packages that it needs besides.
void <- lazyLoad("usr/lib/R/site-library/epiR/R/epiR", envir = epir)
for (t in list(c(3, 7, 1, 19), c(3, 2, 1, 9), c(7, 3, 2, 8), c(5, 5, 5, 5))) {
  m <- matrix(t, 2, byrow = TRUE)
  p <- epir$epi.2by2(m, method = "cohort.count")$massoc.detail$chi2.strata.fisher
  cat(paste(t, collapse = " "), ": one-sided ", sprintf("%.4f", p$p.value.1s), ", two-sided ",
      sprintf("%.4f", p$p.value.2s), ", right ", sprintf("%.4f", fisher.test(m, alternative = "greater")$p.value),
      " and ", sprintf("%.4f", fisher.test(m)$p.value), "\n", sep = "")
}
R
diff - seen <<'SEEN' || { echo "it does something else now"; exit 1; }
3 7 1 19: one-sided 0.0476, two-sided 0.0952, right 0.0952 and 0.0952
3 2 1 9: one-sided 0.0385, two-sided 0.0769, right 0.0769 and 0.0769
7 3 2 8: one-sided 0.0349, two-sided 0.0698, right 0.0349 and 0.0698
5 5 5 5: one-sided 0.5000, two-sided 1.0000, right 0.6719 and 1.0000
SEEN

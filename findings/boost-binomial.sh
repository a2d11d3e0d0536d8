#!/usr/bin/env bash
# Boost 1.74, boost::math::binomial_distribution where the success fraction is 1: quantile and mode.
#
# Guessed: all is at n, as the distribution function says: quantiles and the mode of 10 trials are 10. Seen: below and
# at one half a quantile is 0, and above it 10, so that 95 % of the outcomes of a system that never fails lie "from 0
# to 10"; that of the complement is turned around. The mode is 11, of 10 trials, and its mass is an error. With a
# fraction of 0 all are 0, and with one a little below 1 the quantiles are 9 and 10, rounded outwards as the policy
# has it.
set -euo pipefail
command -v g++ >/dev/null || { echo "this needs g++"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download libboost1.74-dev=1.74.0+ds1-21 >apt.log 2>&1 || { cat apt.log; exit 1; }
dpkg-deb -x libboost1.74-dev_*.deb .
cat >ask.cc <<'CC'
#include <boost/math/distributions/binomial.hpp>
#include <boost/version.hpp>
#include <cstdio>
#include <exception>
using namespace boost::math;
int main() {
  std::printf("Boost %s\n", BOOST_LIB_VERSION);
  for (double p : {0., 1 - 1e-9, 1.}) {
    binomial_distribution<> d(10, p);
    std::printf("%.9g: quantiles %g %g %g, of the complement %g %g, below 10 %g, mode %g", p, quantile(d, .025),
                quantile(d, .5), quantile(d, .975), quantile(complement(d, .025)), quantile(complement(d, .975)),
                cdf(d, 9), mode(d));
    try {
      std::printf(" of mass %g\n", pdf(d, mode(d)));
    } catch (std::exception&) {
      std::printf(" out of range\n");
    }
  }
}
CC
g++ -I usr/include -o ask ask.cc
./ask | tee seen
diff - seen <<'SEEN' || { echo "Boost does something else now"; exit 1; }
Boost 1_74
0: quantiles 0 0 0, of the complement 0 0, below 10 1, mode 0 of mass 1
0.999999999: quantiles 9 10 10, of the complement 10 9, below 10 1e-08, mode 10 of mass 1
1: quantiles 0 0 10, of the complement 10 0, below 10 0, mode 11 out of range
SEEN

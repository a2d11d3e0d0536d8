#!/usr/bin/env bash
# simple-statistics 7.12.1: the distribution function of the normal distribution far from its middle.
#
# Guessed: an approximation with a small error, so that cumulativeStdNormalProbability(-5) is about .0000003. Seen: a
# printed table of four decimals, which ends at 3.09. No p-value taken from it is below .001: a test at a stricter level,
# such as one of twenty that share 1 % by Bonferroni's rule, never rejects, however far the data are out. The list of
# masses of a binomial distribution ends where they sum to .9999, so that its length is not the number of outcomes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --no-package-lock --loglevel=error simple-statistics@7.12.1 >/dev/null

cat >ask.cjs <<'END'
const s = require('simple-statistics')
for (const z of [-3, -3.09, -4, -5, -8]) console.log(`normal ${z}: ${s.cumulativeStdNormalProbability(z)}`)
console.log(`probit of 0: ${s.probit(0).toFixed(4)}`)
const masses = s.binomialDistribution(1000, 0.5)
console.log(`binomial, 1000 at .5: ${masses.length} of 1001 masses, sum ${masses.reduce((a, b) => a + b).toFixed(5)}`)
END
node ask.cjs | tee seen

# The normal distribution itself: .00135, .00100, .0000317, .000000287 and 6.2e-16.
diff - seen <<'END' || { echo "simple-statistics does something else now"; exit 1; }
normal -3: 0.0013
normal -3.09: 0.001
normal -4: 0.001
normal -5: 0.001
normal -8: 0.001
probit of 0: -3.7061
binomial, 1000 at .5: 560 of 1001 masses, sum 0.99992
END

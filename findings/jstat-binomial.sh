#!/usr/bin/env bash
# jStat 1.9.6, binomial.cdf: small probabilities.
#
# Guessed: good to about fifteen digits, as its other distributions are. Seen: the result is rounded to ten decimals
# before it is returned, so that 5.58e-10 is 6e-10, and what is below 5e-11 is 0. A p-value of 0 goes on into products
# and logarithms. Student's t is not rounded.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --no-package-lock --loglevel=error jstat@1.9.6 >/dev/null

cat >ask.cjs <<'END'
const { jStat } = require('jstat')
// The exact value at a rate of a half, by whole numbers.
const exact = (k, n) => {
  let mass = 1n
  let sum = 0n
  for (let i = 0; i <= k; i++) {
    sum += mass
    mass = mass * BigInt(n - i) / BigInt(i + 1)
  }
  return Number(sum * 10n ** 40n / (1n << BigInt(n))) / 1e40
}
for (const [k, n] of [[20, 100], [0, 30], [1, 40], [0, 40]]) {
  console.log(`${k} of ${n} or fewer: ${jStat.binomial.cdf(k, n, 0.5)}, exactly ${exact(k, n).toPrecision(4)}`)
}
console.log(`Student's t: ${jStat.studentt.cdf(-200, 5).toPrecision(4)}`)
END
node ask.cjs | tee seen

diff - seen <<'END' || { echo "jStat does something else now"; exit 1; }
20 of 100 or fewer: 6e-10, exactly 5.580e-10
0 of 30 or fewer: 9e-10, exactly 9.313e-10
1 of 40 or fewer: 0, exactly 3.729e-11
0 of 40 or fewer: 0, exactly 9.095e-13
Student's t: 2.965e-11
END

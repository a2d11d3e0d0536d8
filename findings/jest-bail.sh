#!/usr/bin/env bash
# jest 30.5.2, --bail --json --outputFile: whether there is a report when a test fails.
#
# Guessed: always, with the tests that were not run left out. Seen: none where the failure is in the first of two files:
# nothing is printed on standard output, and no file is written, or one of an earlier run is left as it was. With a
# single file the same failure writes the whole report. A report that is missing is no sign of a crash then, and one
# that is there may be of the run before.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' >package.json
npm install --no-audit --no-fund --save-exact jest@30.5.2 >npm.log 2>&1 || { cat npm.log; exit 1; }
for name in a b; do
  echo "it('one', () => {}); it('two', () => { expect(1).toBe(2) }); it('three', () => {})" >$name.test.js
done
bail() {
  code=0
  npx jest --runInBand --bail --json "$@" >out.txt 2>err.txt || code=$?
  echo "exit code $code, $(wc -c <out.txt | tr -d ' ') bytes on standard output"
}
{
  npx jest --version
  echo "two files:"
  bail
  echo "earlier" >report.json
  bail --outputFile=report.json
  echo "report.json: $(cat report.json)"
  echo "one file:"
  bail a.test.js --outputFile=report.json
  node -p '"report.json: " + JSON.parse(fs.readFileSync("report.json")).numTotalTests + " tests"'
} | tee seen.txt
diff - seen.txt <<'SEEN'
30.5.2
two files:
exit code 1, 0 bytes on standard output
exit code 1, 0 bytes on standard output
report.json: earlier
one file:
exit code 1, 0 bytes on standard output
report.json: 3 tests
SEEN

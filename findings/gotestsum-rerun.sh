#!/usr/bin/env bash
# gotestsum 1.13.0, --rerun-fails: its JUnit report of a run in which every test passes in the end.
#
# Guessed: no failures, or tries that are marked as such. Seen: exit code 0 and failures="2": the failed subtest and its
# parent stand in the report twice under the same name, once failed and once passed, with nothing to tell the tries apart.
# A subtest beside it, which is not run again, stands there once, so that tests of one parent have unlike numbers
# of results. The opposite of playwright-flaky.sh: the build is green, and its report is red.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
GOBIN=$folder/bin go install gotest.tools/gotestsum@v1.13.0 >go.log 2>&1 || { cat go.log; exit 1; }
printf 'module example.com/x\n\ngo 1.24\n' >go.mod
cat >x_test.go <<'GO'
package x

import (
	"os"
	"testing"
)

func TestParent(t *testing.T) {
	t.Run("flaky", func(t *testing.T) {
		if os.Mkdir("tried", 0o700) == nil {
			t.Error("the first try")
		}
	})
	t.Run("steady", func(t *testing.T) {})
}
GO
{
  bin/gotestsum --version
  code=0
  bin/gotestsum --rerun-fails=3 --packages ./... --junitfile report.xml >out.txt 2>&1 || code=$?
  echo "exit code $code"
  grep -o '<testsuites tests="[0-9]*" failures="[0-9]*"' report.xml
  grep -A1 '<testcase' report.xml | grep -oE 'name="TestParent[^"]*"|<failure message="[^"]*"'
} | tee seen.txt
diff - seen.txt <<'SEEN'
gotestsum version v1.13.0
exit code 0
<testsuites tests="5" failures="2"
name="TestParent/flaky"
<failure message="Failed"
name="TestParent"
<failure message="Failed"
name="TestParent/steady"
name="TestParent/flaky"
name="TestParent"
SEEN

package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// flagEffects has a row for each flag of each command: what is run without it, and what is added. The two must differ
// in what can be seen: the exit code, what is printed, or the files that are made. "*" is any command that has the
// flag, FILE in its row the file to read.
const flagEffects = `
* --from | TRIALS | --from csv
* --map | other.json | --map map.yaml
* --pass-score | scores.jsonl | --pass-score 0.5
* --trial-from | twice.csv | --trial-from order
* --allow-duplicates | twice.csv | --allow-duplicates
compare --allow-duplicates | compare x.jsonl x.jsonl | --allow-duplicates
compare --trial-from | compare twice.csv x.jsonl | --trial-from order
* --max-line-bytes | TRIALS | --max-line-bytes 32
* --max-document-bytes | ctrf.json | --max-document-bytes 32
* --scorer | scored.jsonl | --scorer style
* --variant | variants.jsonl | --variant b
* --prices | tokens.jsonl | --prices prices.yaml
* --json | TRIALS | --json
* --output | TRIALS | --output made
* --report | TRIALS | --report junit=made.xml
* --on-inconclusive | open.jsonl | --on-inconclusive fail
* --scenarios | TRIALS | --scenarios 1
* --chart | TRIALS | --chart made.svg
* --store | store:last=1 | --store runs.db
verdict --threshold | verdict x.jsonl --threshold 0.9 | --threshold 0.1
verdict --explain | verdict x.jsonl --threshold 0.6 | --explain
verdict --alpha | verdict x.jsonl --threshold 0.6 | --alpha 0.2
verdict --interval | verdict x.jsonl --threshold 0.6 | --interval jeffreys
verdict --errors | verdict errors.jsonl --threshold 0.6 | --errors fail
verdict --by | verdict x.jsonl --threshold 0.6 | --by scenario
verdict --labels | verdict x.jsonl --threshold 0.6 | --labels labelled.csv
verdict --passes | verdict --threshold 0.6 --trials 9 | --passes 7
verdict --trials | verdict --threshold 0.6 --passes 7 | --trials 9
verdict --counts | verdict --threshold 0.6 | --counts rows.csv --variant b
verdict --score | verdict x.jsonl --threshold 0.6 | --score
verdict --anytime | verdict x.jsonl --threshold 0.6 | --anytime
verdict --looks | verdict x.jsonl --threshold 0.6 --ledger l.jsonl | --looks 3
verdict --new-agent | verdict x.jsonl --threshold 0.6 --ledger l.jsonl | --new-agent
verdict --ledger | verdict x.jsonl --threshold 0.6 | --ledger made.jsonl
verdict --sequential | verdict x.jsonl --threshold 0.6 --delta 0.2 | --sequential
verdict --delta | verdict x.jsonl --sequential --threshold 0.6 | --delta 0.3
verdict --beta | verdict x.jsonl --sequential --threshold 0.6 --delta 0.3 | --beta 0.3
verdict --max-trials | verdict x.jsonl --sequential --threshold 0.6 --delta 0.3 | --max-trials 30
verdict --design | verdict x.jsonl --sequential --threshold 0.6 --delta 0.3 | --design wald
verdict --prior | verdict x.jsonl --sequential --threshold 0.6 --delta 0.3 | --prior worst
verdict --baseline | verdict x.jsonl --sequential --threshold 0.6 --delta 0.3 | --baseline 150/200
verdict --baseline-scenario | verdict x.jsonl --sequential --delta 0.3 --baseline b.jsonl | --baseline-scenario nowhere
verdict --method | verdict x.jsonl --sequential --delta 0.3 --baseline 150/200 | --method limits
verdict --gamma | verdict x.jsonl --sequential --delta 0.3 --baseline 150/200 | --gamma 0.001
verdict --guard | verdict x.jsonl --sequential --delta 0.3 --baseline 150/200 | --guard 0.6
verdict --order | verdict x.jsonl --sequential --threshold 0.6 --delta 0.3 | --order shuffle
verdict --seed | verdict x.jsonl --sequential --threshold 0.6 --delta 0.3 --order shuffle | --seed 8
compare --delta | compare x.jsonl y.jsonl | --delta 0.2
compare --explain | compare x.jsonl y.jsonl | --explain
compare --alpha | compare x.jsonl y.jsonl | --alpha 0.2
compare --interval | compare x.jsonl y.jsonl | --interval jeffreys
compare --errors | compare errors.jsonl y.jsonl | --errors fail
compare --by | compare x.jsonl y.jsonl | --by scenario
compare --beta | compare x.jsonl y.jsonl | --beta 0.3
compare --test | compare x.jsonl y.jsonl | --test fisher
compare --rule | compare x.jsonl y.jsonl | --rule bayes
compare --correct | compare many.jsonl fewer.jsonl --json | --correct none
compare --missing | compare errors.jsonl y.jsonl --json | --missing ignore
compare --baseline | compare --candidate 30/40 | --baseline 38/40
compare --candidate | compare --baseline 38/40 | --candidate 30/40
compare --baseline-variant | compare variants.jsonl variants.jsonl --candidate-variant b | --baseline-variant a
compare --candidate-variant | compare variants.jsonl variants.jsonl --baseline-variant a | --candidate-variant b
compare --counts | compare --baseline-variant a --candidate-variant b | --counts rows.csv
compare --anytime | compare x.jsonl y.jsonl | --anytime
compare --seed | compare many.jsonl fewer.jsonl --json | --seed 8
compare --fail-on | compare x.jsonl y.jsonl | --fail-on behaviour
compare --behaviour-only | compare x.jsonl y.jsonl | --behaviour-only
compare --behaviour-shift | compare x.jsonl y.jsonl --behaviour-only | --behaviour-shift 2
compare --behaviour-test | compare x.jsonl y.jsonl --behaviour-only | --behaviour-test shrunk-t2
compare --components | compare x.jsonl y.jsonl --behaviour-only --behaviour-test hotelling-t2 | --components 0.3
compare --prior | compare x.jsonl y.jsonl | --prior 1,1
compare --proxy | compare x.jsonl y.jsonl | --proxy x.jsonl,y.jsonl
compare --combine | compare x.jsonl y.jsonl --proxy x.jsonl,y.jsonl | --combine fisher
compare --scenarios | compare good.jsonl bad.jsonl --by scenario | --scenarios 1
compare --looks | compare x.jsonl y.jsonl --ledger l.jsonl | --looks 3
compare --new-agent | compare x.jsonl y.jsonl --ledger l.jsonl | --new-agent
compare --ledger | compare x.jsonl y.jsonl | --ledger made.jsonl
plan --threshold | plan --threshold 0.9 | --threshold 0.8
plan --delta | plan --threshold 0.9 | --delta 0.2
plan --beta | plan --threshold 0.9 | --beta 0.3
plan --alpha | plan --threshold 0.9 | --alpha 0.2
plan --max-trials | plan --threshold 0.9 | --max-trials 90
plan --design | plan --threshold 0.9 | --design wald
plan --prior | plan --threshold 0.9 | --prior worst
plan --prior-mode | plan --threshold 0.9 --prior 19/20 | --prior-mode density-ratio
plan --group | plan --threshold 0.9 | --group 10
plan --looks | plan --threshold 0.9 | --looks 5
plan --design-effect | plan --threshold 0.9 | --design-effect 3
plan --baseline | plan --delta 0.3 | --baseline 57/60
plan --baseline-scenario | plan --delta 0.1 --baseline b.jsonl | --baseline-scenario nowhere
plan --method | plan --delta 0.3 --baseline 57/60 | --method limits
plan --gamma | plan --delta 0.3 --baseline 57/60 | --gamma 0.001
plan --guard | plan --delta 0.3 --baseline 57/60 | --guard 0.8
plan --side-by-side | plan --delta 0.4 | --side-by-side
plan --sides | plan --delta 0.3 | --sides 0.9
plan --scenarios | plan --threshold 0.9 --delta 0.4 | --scenarios 3
plan --baseline-trials | plan --delta 0.5 | --baseline-trials 0.9
plan --candidates | plan --delta 0.5 --baseline-trials 0.9 | --candidates 50
plan --pipeline | plan tribunal.yaml | --pipeline
plan --behaviour | plan --delta 0.1 | --behaviour many.jsonl --distance 2 --behaviour-test hotelling-t2
plan --shift | plan --behaviour many.jsonl --behaviour-test hotelling-t2 | --shift cost_usd=2sd
plan --distance | plan --behaviour many.jsonl --behaviour-test hotelling-t2 | --distance 2
plan --power | plan --behaviour many.jsonl --distance 2 --behaviour-test hotelling-t2 | --power 0.5
plan --behaviour-test | plan --behaviour many.jsonl --distance 2 | --behaviour-test hotelling-t2
plan --max-cost | plan --behaviour many.jsonl --distance 2 --behaviour-test hotelling-t2 | --max-cost 1
plan --proxy | plan --price 9 --proxy-price 1 | --proxy many.jsonl,fewer.jsonl
plan --proxy-price | plan --proxy many.jsonl,fewer.jsonl --price 9 | --proxy-price 1
plan --price | plan --threshold 0.9 | --price 0.5
plan --seconds | plan --threshold 0.9 | --seconds 5
plan --chart | plan --threshold 0.9 | --chart made.svg
plan --compare | plan --threshold 0.9 | --compare
plan --json | plan --threshold 0.9 | --json
plan --output | plan --threshold 0.9 | --output made
import sql --dialect | import sql --table t --dialect duckdb | --dialect postgres
import sql --format | import sql --table t --dialect duckdb | --format otel
import sql --table | import sql --table t --dialect duckdb | --table u
import sql --scenario-column | import sql --table t --dialect duckdb | --scenario-column c
import sql --variant-column | import sql --table t --dialect duckdb | --variant-column c
import sql --input-column | import sql --table t --dialect duckdb | --input-column c
import sql --outcome-column | import sql --table t --dialect duckdb | --outcome-column c
import sql --score-column | import sql --table t --dialect duckdb --pass-score 1 | --score-column c
import sql --pass-score | import sql --table t --dialect duckdb --score-column c | --pass-score 1
import sql --id-column | import sql --table t --dialect duckdb | --id-column c
import sql --time-column | import sql --table t --dialect duckdb --since 2026-11-01 | --time-column c
import sql --cost-column | import sql --table t --dialect duckdb | --cost-column c
import sql --tokens-column | import sql --table t --dialect duckdb | --tokens-column c
import sql --turns-column | import sql --table t --dialect duckdb | --turns-column c
import sql --tool-calls-column | import sql --table t --dialect duckdb | --tool-calls-column c
import sql --tool-errors-column | import sql --table t --dialect duckdb | --tool-errors-column c
import sql --duration-column | import sql --table t --dialect duckdb | --duration-column c
import sql --measure | import sql --table t --dialect duckdb | --measure steps
import sql --tool | import sql --table t --dialect duckdb --format otel | --tool search
import sql --since | import sql --table t --dialect duckdb --format otel | --since 2026-11-01
import sql --until | import sql --table t --dialect duckdb --format otel | --until 2026-11-01
import sql --sample | import sql --table t --dialect duckdb --format otel | --sample 3
import sql --seed | import sql --table t --dialect duckdb --format otel | --seed 8
compare fingerprint --csv | compare fingerprint x.jsonl y.jsonl --json | --csv
compare fingerprint --pooled | compare fingerprint x.jsonl y.jsonl | --pooled
compare fingerprint --nearest | compare fingerprint x.jsonl y.jsonl b.jsonl | --nearest
compare fingerprint --seed | compare fingerprint x.jsonl y.jsonl --json | --seed 8
compare fingerprint --chart | compare fingerprint x.jsonl y.jsonl | --chart made.svg
compare fingerprint --baseline-variant | compare fingerprint variants.jsonl variants.jsonl --candidate-variant b | --baseline-variant a
compare fingerprint --candidate-variant | compare fingerprint variants.jsonl variants.jsonl --baseline-variant a | --candidate-variant b
run --trial | run --fresh | --trial one#0
run --failed | run | --failed
run --explain | run --fresh | --explain
run --baseline | run --fresh | --baseline base.result.json
run --record | run --fresh | --record 20
run --family | run --fresh | --family holm
run --journal | run --fresh | --journal made.jsonl
run --output | run --fresh | --output made
run --resume | run | --resume
run --fresh | run stopped.yaml --journal stopped.jsonl --output made | --fresh
run --report | run --fresh | --report junit=made.xml
run --extend | run --fresh | --extend 5
run --json | run --fresh | --json
run --on-inconclusive | run open.yaml --fresh | --on-inconclusive fail
run --scenarios | run --fresh | --scenarios 1
run --seed | run --fresh --json | --seed 8
run --prices | run priced.yaml --fresh | --prices prices.yaml
run --max-cost | run --fresh | --max-cost 0.5
run --looks | run --fresh --ledger l.jsonl | --looks 3
run --new-agent | run --fresh --ledger l.jsonl | --new-agent
run --ledger | run --fresh | --ledger made.jsonl
run --only | run --fresh | --only one
run --tag | run --fresh | --tag big
init --from | init new | --from samples.json
init --model | init new | --model gpt-5-mini
init --python | init new | --python
init --node | init new | --node
init --http | init new | --http
init --shell | init new --python | --shell
try --suite | try | --suite open.yaml
try --variant | try | --variant small
try --seed | try --json | --seed 8
try --json | try | --json
try --prices | try | --prices nowhere.yaml
run conformance --agent | run conformance corpus | --agent other.yaml
run conformance --threshold | run conformance corpus | --threshold 0.6
run conformance --min-pass-rate | run conformance corpus | --min-pass-rate 0.95
run conformance --attack-success | run conformance corpus | --attack-success 0.2
run conformance --save-baseline | run conformance corpus | --save-baseline made.json
run conformance --forecast-runs-per-day | run conformance corpus | --forecast-runs-per-day 5
run conformance --price-per-mtok | run conformance corpus --forecast-runs-per-day 5 | --price-per-mtok 5
run conformance --baseline | run conformance corpus | --baseline base.result.json
run conformance --record | run conformance corpus | --record 20
run conformance --family | run conformance corpus | --family holm
run conformance --journal | run conformance corpus | --journal made.jsonl
run conformance --output | run conformance corpus | --output made
run conformance --resume | run conformance corpus | --resume
run conformance --fresh | run conformance corpus --journal stopped.jsonl --output made | --fresh
run conformance --report | run conformance corpus | --report junit=made.xml
run conformance --extend | run conformance corpus | --extend 5
run conformance --json | run conformance corpus | --json
run conformance --on-inconclusive | run conformance corpus --max-cost 0.3 | --on-inconclusive fail
run conformance --scenarios | run conformance corpus | --scenarios 1
run conformance --explain | run conformance corpus | --explain
run conformance --seed | run conformance corpus --json | --seed 8
run conformance --prices | run conformance corpus | --prices nowhere.yaml
run conformance --max-cost | run conformance corpus | --max-cost 0.3
run conformance --looks | run conformance corpus --ledger l.jsonl | --looks 3
run conformance --new-agent | run conformance corpus --ledger l.jsonl | --new-agent
run conformance --ledger | run conformance corpus | --ledger made.jsonl
run conformance --only | run conformance corpus | --only one
run conformance --tag | run conformance corpus | --tag big
repeat --threshold | repeat --fresh --stdout -- cat x.jsonl | --threshold 0.5
repeat --delta | repeat --fresh --stdout -- cat x.jsonl | --delta 0.3
repeat --alpha | repeat --fresh --stdout -- cat x.jsonl | --alpha 0.3
repeat --beta | repeat --fresh --stdout -- cat x.jsonl | --beta 0.3
repeat --max-trials | repeat --fresh --stdout -- cat x.jsonl | --max-trials 90
repeat --max-duration | repeat --fresh --stdout -- cat x.jsonl | --max-duration 1ns
repeat --only | repeat --fresh --stdout -- cat x.jsonl | --only a
repeat --from | repeat --fresh --stdout -- cat x.jsonl | --from csv
repeat --stdout | repeat --fresh -- cat x.jsonl | --stdout
repeat --isolate | repeat --fresh --stdout -- cat x.jsonl | --isolate
repeat --timeout | repeat --fresh --stdout -- sleep 1 | --timeout 1ms
repeat --name | repeat --fresh --stdout -- cat x.jsonl | --name other
repeat --quarantine | repeat --fresh --stdout -- cat x.jsonl | --quarantine made
repeat --baseline | repeat --fresh --stdout -- cat x.jsonl | --baseline nowhere.json
repeat --record | repeat --fresh --stdout -- cat x.jsonl | --record 20
repeat --family | repeat --fresh --stdout -- cat x.jsonl | --family holm
repeat --journal | repeat --fresh --stdout -- cat x.jsonl | --journal made.jsonl
repeat --output | repeat --fresh --stdout -- cat x.jsonl | --output made
repeat --resume | repeat --stdout -- cat x.jsonl | --resume
repeat --fresh | repeat --name stopped --journal stopped.jsonl --output made --stdout -- cat x.jsonl | --fresh
repeat --report | repeat --fresh --stdout -- cat x.jsonl | --report junit=made.xml
repeat --extend | repeat --fresh --stdout -- cat x.jsonl | --extend 5
repeat --json | repeat --fresh --stdout -- cat x.jsonl | --json
repeat --on-inconclusive | repeat --fresh --max-duration 1ns --stdout -- cat x.jsonl | --on-inconclusive fail
repeat --scenarios | repeat --fresh --stdout -- cat x.jsonl | --scenarios 1
repeat --explain | repeat --fresh --stdout -- cat x.jsonl | --explain
verdict decide --threshold | verdict decide | --threshold 0.5
verdict decide --alpha | verdict decide | --alpha 0.3
verdict decide --delta | verdict decide | --delta 0.3
verdict decide --beta | verdict decide | --beta 0.3
verdict decide --max-trials | verdict decide | --max-trials 60
verdict decide --design | verdict decide | --design wald
verdict decide --name | verdict decide --output made | --name other
verdict decide --output | verdict decide | --output made
verdict decide --baseline | verdict decide | --baseline nowhere.json
verdict decide --record | verdict decide | --record 20
improve ratchet run --attempts | improve ratchet run loop | --attempts 1
improve ratchet run --max-cost | improve ratchet run loop | --max-cost 0.05
improve ratchet run --resume | improve ratchet run begun | --resume
improve ratchet run --fresh | improve ratchet run begun | --fresh
improve ratchet run --show-prompt | improve ratchet run begun --resume | --show-prompt 1
improve ratchet run --output | improve ratchet run loop | --output made
improve ratchet run --json | improve ratchet run loop | --json
improve ratchet run --report | improve ratchet run loop | --report junit=made.xml
improve ratchet run --on-inconclusive | improve ratchet run loop --max-cost 0.05 | --on-inconclusive fail
improve ratchet run --scenarios | improve ratchet run loop | --scenarios 1
improve ratchet run --explain | improve ratchet run loop | --explain
improve ratchet init --loop | improve ratchet init | --loop
improve ratchet init --fresh | improve ratchet init duo | --fresh
improve ratchet init --alpha | improve ratchet init | --alpha 0.1
improve ratchet init --spending | improve ratchet init | --spending lord++
improve ratchet init --gain | improve ratchet init | --gain 0.15
improve ratchet init --rate | improve ratchet init | --rate 0.7
improve ratchet init --power | improve ratchet init | --power 0.7
improve ratchet init --max-pairs | improve ratchet init | --max-pairs 50
improve ratchet init --seed | improve ratchet init | --seed 4
improve ratchet init --json | improve ratchet init | --json
improve ratchet init --output | improve ratchet init | --output made
improve ratchet init --report | improve ratchet init | --report html=made.html
improve ratchet try --suite | improve ratchet try --challenger broken | --suite duo
improve ratchet try --champion | improve ratchet try --suite duo --challenger broken | --champion broken
improve ratchet try --challenger | improve ratchet try --suite duo | --challenger broken
improve ratchet try --final | improve ratchet try --suite duo --challenger broken | --final 2
improve ratchet try --max-cost | improve ratchet try --suite duo --challenger broken | --max-cost 0.1
improve ratchet try --output | improve ratchet try --suite duo --challenger broken | --output made
improve ratchet try --json | improve ratchet try --suite duo --challenger broken | --json
improve ratchet try --report | improve ratchet try --suite duo --challenger broken | --report junit=made.xml
improve ratchet try --on-inconclusive | improve ratchet try --suite duo --challenger broken --max-cost 0.1 | --on-inconclusive fail
improve ratchet try --scenarios | improve ratchet try --suite duo --challenger broken | --scenarios 1
improve ratchet try --explain | improve ratchet try --suite duo --challenger broken | --explain
improve ratchet status --json | improve ratchet status begun | --json
improve ratchet status --output | improve ratchet status begun | --output made
improve ratchet status --scenarios | improve ratchet status begun | --scenarios 1
improve ratchet status --explain | improve ratchet status begun | --explain
run relations --relation | run relations pairs.yaml | --relation twice
run relations --alpha | run relations pairs.yaml --json | --alpha 0.2
run relations --beta | run relations pairs.yaml --json | --beta 0.3
run relations --delta | run relations pairs.yaml --json | --delta 0.5
run relations --baseline | run relations pairs.yaml | --baseline base.relations.json
run relations --record | run relations pairs.yaml | --record 20
run relations --recorded | run relations pairs.yaml | --recorded pairs.jsonl
run relations --resume | run relations pairs.yaml | --resume
run relations --fresh | run relations stopped-pairs.yaml | --fresh
run relations --prices | run relations pairs.yaml | --prices nowhere.yaml
run relations --output | run relations pairs.yaml | --output made
run relations --report | run relations pairs.yaml | --report junit=made.xml
run relations --json | run relations pairs.yaml | --json
run relations --on-inconclusive | run relations pairs.yaml --max-cost 0.3 | --on-inconclusive fail
run relations --scenarios | run relations pairs.yaml | --scenarios 1
run relations --explain | run relations pairs.yaml | --explain
run relations --max-cost | run relations pairs.yaml | --max-cost 0.3
run relations --only | run relations pairs.yaml | --only one
run relations --tag | run relations pairs.yaml | --tag big
gate --results | gate | --results .tribunal/s.result.json
gate --baseline | gate --results .tribunal/s.result.json | --baseline base.result.json
gate --min-pass-rate | gate --results .tribunal/s.result.json | --min-pass-rate 0.99
gate --point | gate --results .tribunal/s.result.json --min-pass-rate 0.99 --explain | --point
gate --allow-undecided-regression | gate --results .tribunal/s.result.json --baseline base.result.json --json | --allow-undecided-regression
gate --min-coverage | gate --results .tribunal/s.result.json | --min-coverage 0.5
gate --explain | gate --results .tribunal/s.result.json --min-pass-rate 0.99 | --explain
gate --no-suite | gate --results .tribunal/s.result.json | --no-suite
gate --max-age | gate --results .tribunal/s.result.json --baseline base.result.json | --max-age 1s
gate --trusted | gate --results .tribunal/s.result.json | --trusted nowhere.pub
gate --journal | gate --fresh | --journal made.jsonl
gate --output | gate --fresh | --output made
gate --resume | gate | --resume
gate --fresh | gate stopped.yaml --journal stopped.jsonl | --fresh
gate --report | gate --fresh | --report junit=made.xml
gate --extend | gate --fresh | --extend 5
gate --json | gate --fresh | --json
gate --on-inconclusive | gate open.yaml --fresh | --on-inconclusive fail
gate --scenarios | gate --fresh | --scenarios 1
gate --seed | gate --fresh --json | --seed 8
gate --prices | gate priced.yaml --fresh | --prices prices.yaml
gate --max-cost | gate --fresh | --max-cost 0.5
gate --looks | gate --fresh --ledger l.jsonl | --looks 3
gate --new-agent | gate --fresh --ledger l.jsonl | --new-agent
gate --ledger | gate --fresh | --ledger made.jsonl
gate --only | gate --fresh | --only one
gate --tag | gate --fresh | --tag big
report --format | report .tribunal/s.result.json | --format junit
report --inconclusive-fails | report open.result.json --format junit | --inconclusive-fails
report --output | report .tribunal/s.result.json | --output made
report --scenarios | report .tribunal/s.result.json | --scenarios 1
report --explain | report .tribunal/s.result.json | --explain
report verify --suite | report verify .tribunal/s.result.json | --suite tribunal.yaml
report verify --journal | report verify .tribunal/s.result.json | --journal .tribunal/s.journal.jsonl
report verify --quarantine | report verify .tribunal/s.result.json | --quarantine x.jsonl
report verify --report | report verify .tribunal/s.result.json | --report junit=made.xml
report verify --recording | report verify rates.json | --recording x.jsonl
report verify --prices | report verify rates.json --recording x.jsonl | --prices nowhere.yaml
report verify --allow-duplicates | report verify rates.json --recording x.jsonl --recording x.jsonl | --allow-duplicates
report verify --trial-from | report verify compared.json --recording baseline=twice.csv | --trial-from order
report verify --trusted | report verify .tribunal/s.result.json | --trusted nowhere.pub
store history --version | store history two --store nights.db | --version b
store history --branch | store history shop --store nights.db | --branch side
store history --kind | store history shop --store nights.db | --kind race
store history --scenario | store history shop --store nights.db | --scenario one
store history --since | store history shop --store nights.db | --since 2026-03-05
store history --until | store history shop --store nights.db | --until 2026-03-05
store history --metric | store history shop --store nights.db | --metric cost
store history --baseline | store history shop --store nights.db --metric distance | --baseline nowhere
store history --alpha | store history shop --store nights.db | --alpha 0.2
store history --unit | store history shop --store nights.db | --unit trials
store history --points | store history shop --store nights.db | --points 3
store history --store | store history shop | --store nights.db
store history --json | store history shop --store nights.db | --json
store history --output | store history shop --store nights.db | --output made
store history --report | store history shop --store nights.db | --report junit=made.xml
plan month --runs-per-day | plan month x.jsonl --runs-per-day 5 | --runs-per-day 50
plan month --price-per-mtok | plan month free.jsonl --runs-per-day 5 | --price-per-mtok 2
run --shard | run --fresh | --shard 1/2
run merge --suite | run merge --fresh | --suite open.yaml
run merge --baseline | run merge --fresh | --baseline base.result.json
run merge --record | run merge --fresh | --record 20
run merge --family | run merge --fresh | --family holm
run merge --journal | run merge --fresh | --journal made.jsonl
run merge --output | run merge --fresh | --output made
run merge --fresh | run merge --journal stopped.jsonl | --fresh
run merge --report | run merge --fresh | --report junit=made.xml
run merge --json | run merge --fresh | --json
run merge --on-inconclusive | run merge open.shard.jsonl --suite open.yaml --fresh | --on-inconclusive fail
run merge --scenarios | run merge --fresh | --scenarios 1
run merge --explain | run merge --fresh | --explain
run merge --store | run merge --fresh | --store made.db
run merge --looks | run merge --fresh --ledger l.jsonl | --looks 3
run merge --new-agent | run merge --fresh --ledger l.jsonl | --new-agent
run merge --ledger | run merge --fresh | --ledger made.jsonl
run merge --only | run merge --fresh | --only one
run merge --tag | run merge --fresh | --tag big
run merge --profile | run merge --fresh | --profile big
improve race --alpha | improve race race.yaml --plan | --alpha 0.2
improve race --beta | improve race race.yaml --plan --json | --beta 0.3
improve race --delta | improve race race.yaml --plan | --delta 0.4
improve race --rate | improve race race.yaml --plan | --rate 0.9
improve race --max-rounds | improve race race.yaml --plan | --max-rounds 30
improve race --worth | improve race race.yaml --plan --json | --worth 2
improve race --seed | improve race race.yaml --plan --json | --seed 9
improve race --plan | improve race race.yaml --delta 0.4 | --plan
improve race --compare | improve race race.yaml --plan | --compare
improve race --looks | improve race race.yaml --plan | --looks 3
improve race --ledger | improve race race.yaml --delta 0.4 | --ledger made.jsonl
improve race --resume | improve race race.yaml --delta 0.4 | --resume
improve race --prices | improve race race.yaml --delta 0.4 | --prices nowhere.yaml
improve race --output | improve race race.yaml --delta 0.4 | --output made
improve race --report | improve race race.yaml --delta 0.4 | --report junit=made.xml
improve race --json | improve race race.yaml --delta 0.4 | --json
improve race --on-inconclusive | improve race race.yaml --delta 0.4 --max-cost 0.3 | --on-inconclusive fail
improve race --scenarios | improve race race.yaml --delta 0.4 | --scenarios 1
improve race --explain | improve race race.yaml --delta 0.4 | --explain
improve race --max-cost | improve race race.yaml --delta 0.4 | --max-cost 0.3
improve race --only | improve race race.yaml --delta 0.4 | --only one
improve race --tag | improve race race.yaml --delta 0.4 | --tag big
run --profile | run tribunal.yaml --ledger off --fresh --json | --profile big
gate --profile | gate --ledger off | --profile big
check --profile | check tribunal.yaml | --profile big
plan --profile | plan --threshold 0.9 | --profile big
compare rank --alpha | compare rank axes.json axes-2.json | --alpha 0.2
compare rank --improve | compare rank axes.json axes-2.json | --improve tone
compare rank --delta | compare rank axes.json axes-2.json --improve tone | --delta 0.2
compare rank --seed | compare rank axes.json axes-2.json --json | --seed 8
compare rank --json | compare rank axes.json axes-2.json | --json
compare rank --output | compare rank axes.json axes-2.json | --output made.json
compare rank --report | compare rank axes.json axes-2.json | --report junit=made.xml
run mutants --list | run mutants mutate.yaml | --list
run mutants --show | run mutants mutate.yaml | --show M1
run mutants --json | run mutants mutate.yaml --list | --json
run mutants --operators | run mutants mutate.yaml --list | --operators prompt.drop
run mutants --own | run mutants mutate.yaml --list | --own mine=false
run mutants --per-operator | run mutants mutate.yaml --list | --per-operator 1
run mutants --sample | run mutants mutate.yaml --list | --sample 2
run mutants --since | run mutants mutate.yaml --list | --since HEAD
run mutants --learn | run mutants mutate.yaml --list | --learn
run mutants --compose | run mutants mutate.yaml --list | --compose 2
run mutants --seed | run mutants mutate.yaml --show M3 | --seed 9
run mutants --recorded | run mutants mutate.yaml | --recorded x.jsonl
run mutants --fail-under | run mutants checked.yaml --recorded x.jsonl | --fail-under 1
run mutants --report | run mutants checked.yaml --recorded x.jsonl | --report junit=made.xml
run mutants --output | run mutants checked.yaml --recorded x.jsonl | --output made
run mutants --on-inconclusive | run mutants checked.yaml --recorded own.jsonl --fail-under 1 | --on-inconclusive fail
run mutants --scenarios | run mutants checked.yaml --recorded x.jsonl | --scenarios 1
run mutants --only | run mutants checked.yaml --recorded x.jsonl | --only a
run mutants --tag | run mutants checked.yaml --recorded x.jsonl | --tag big
check evaluators --list | check evaluators | --list
check evaluators --json | check evaluators --list | --json
check evaluators --output | check evaluators --list | --output made
check evaluators --report | check evaluators --list | --report markdown=made.md
store info --output | store info --store runs.db | --output made
store info --report | store info --store runs.db | --report markdown=made.md
store baseline list --output | store baseline list --store runs.db | --output made
store baseline list --report | store baseline list --store runs.db | --report markdown=made.md
plan limits --share | plan limits x.jsonl --confidence 0.5 --share 0.5 | --share 0.6
plan limits --confidence | plan limits x.jsonl --share 0.5 --confidence 0.5 | --confidence 0.8
plan limits --json | plan limits x.jsonl --share 0.5 --confidence 0.5 | --json
plan limits --output | plan limits x.jsonl --share 0.5 --confidence 0.5 | --output made
check --only | check | --only one
check --tag | check | --tag big
check --json | check | --json
check --output | check | --output made
check --scenarios | check | --scenarios 1
check --report | check | --report junit=made.xml
check --baseline | check | --baseline base.result.json
check contract --clauses | check contract contract.yaml x.jsonl | --clauses 1
check coverage --suite | check coverage x.jsonl --tools tools.json | --suite tribunal.yaml
check coverage --tools | check coverage x.jsonl | --tools tools.json
check coverage --calibrate-lambda | check coverage x.jsonl --tools tools.json | --calibrate-lambda
check coverage --minimum | check coverage x.jsonl --tools tools.json | --minimum 0.9
check suggest --target | check suggest suggest.yaml x.jsonl | --target tool=0.5
check suggest --count | check suggest suggest.yaml --schema schema.json | --count 2
check suggest --schema | check suggest suggest.yaml x.jsonl | --schema schema.json
check suggest --generator | check suggest suggest.yaml x.jsonl | --generator cat
check suggest --seed | check suggest suggest.yaml --schema schema.json | --seed 9
check suggest --run | check suggest suggest.yaml --schema schema.json | --run
check suggest --max-cost | check suggest suggest.yaml --schema schema.json --run | --max-cost 0.15
check suggest --confirm | check suggest suggest.yaml --schema schema.json --run | --confirm 0
check suggest --shrink | check suggest suggest.yaml --schema schema.json --run | --shrink 0
check --offline | check | --offline
wire --output | wire -- true | --output made
wire --scenario | wire --output made -- true | --scenario s
wire serve --json | wire serve --for 1ms | --json
wire serve --scenario | wire serve --for 1ms | --scenario s
judge --output | judge tribunal.yaml x.jsonl | --output made
judge --variant | judge tribunal.yaml variants.jsonl | --variant b
judge --only | judge tribunal.yaml own.jsonl | --only one
judge --tag | judge tribunal.yaml own.jsonl | --tag big
judge label --n | judge label x.jsonl --output made.csv | --n 20
judge label --seed | judge label x.jsonl --output made.csv | --seed 8
judge label --output | judge label x.jsonl --output made.csv | --output other.csv
judge label --variant | judge label variants.jsonl --output made.csv | --variant b
judge check --alpha | judge check labelled.csv | --alpha 0.2
judge check --json | judge check labelled.csv | --json
judge check --output | judge check labelled.csv | --output made
judge check --report | judge check labelled.csv | --report markdown=made.md
monitor --baseline | monitor x.jsonl | --baseline 57/60
monitor --detector | monitor x.jsonl --baseline 57/60 | --detector conformal
monitor --run-length | monitor x.jsonl --baseline 57/60 | --run-length 100
monitor --gamma | monitor x.jsonl --baseline 57/60 | --gamma 0.2
monitor --drop | monitor x.jsonl --baseline 57/60 --detector cusum --json | --drop 0.3
monitor --watch | monitor x.jsonl | --watch steps
monitor --prices | monitor tokens.jsonl --watch cost --json | --prices prices.yaml
monitor --by | monitor x.jsonl | --by suite
monitor --seed | monitor x.jsonl --json | --seed 8
monitor --state | monitor x.jsonl | --state made.json
monitor --reason | monitor | --reason because
monitor --json | monitor x.jsonl | --json
monitor --scenario-from | monitor x.jsonl | --scenario-from path
monitor --pass-when | monitor scores.jsonl | --pass-when score>=0.5
import --scenario-from | import x.jsonl | --scenario-from path
import --pass-when | import scores.jsonl | --pass-when score>=0.5
import --rejudge | import x.jsonl --pass-when no-error | --rejudge
import --pattern-errors | import tools.jsonl | --pattern-errors ^Error
import --strict | import tau.json | --strict
import --list-formats | import | --list-formats
import --output | import x.jsonl | --output made
import --variant | import x.jsonl | --variant v
import --suite | import x.jsonl --store made.db | --suite other
import --commit | import x.jsonl --store made.db | --commit 4f0c2d1
import --branch | import x.jsonl --store made.db | --branch main
import --at | import x.jsonl --store made.db | --at 2026-03-01
run --store | run --fresh | --store made.db
gate --store | gate --fresh | --store made.db
run conformance --store | run conformance corpus | --store made.db
repeat --store | repeat --fresh --stdout -- cat x.jsonl | --store made.db
run relations --store | run relations pairs.yaml | --store made.db
report --store | report store:kind=verdict | --store runs.db
report verify --store | report verify store:kind=verdict | --store runs.db
report view --output | report view .tribunal/s.result.json --no-open | --output made
report view --store | report view store:kind=verdict --no-open --output made | --store runs.db
report diff --store | report diff store:last=1 x.jsonl | --store runs.db
store traces query --store | store traces query | --store runs.db
store traces query --version | store traces query --store runs.db --limit 200 | --version v2
store traces query --scenario | store traces query --store runs.db --limit 200 | --scenario a
store traces query --since | store traces query --store runs.db --limit 200 | --since 2026-03-02
store traces query --until | store traces query --store runs.db --limit 200 | --until 2026-03-02
store traces query --outcome | store traces query --store runs.db --limit 200 | --outcome fail
store traces query --search | store traces query --store runs.db --limit 200 | --search nowhere
store traces query --limit | store traces query --store runs.db | --limit 1
store traces query --json | store traces query --store runs.db --limit 200 | --json
store traces query --output | store traces query --store runs.db --limit 200 | --output made
store traces query --report | store traces query --store runs.db | --report markdown=made.md
store traces sample --store | store traces sample -n 5 | --store runs.db
store traces sample --trials | store traces sample --store runs.db | --trials 5
store traces sample --seed | store traces sample -n 5 --store runs.db | --seed 8
store traces sample --stratified | store traces sample -n 5 --store runs.db kind=import,version=v1 | --stratified
store traces sample --version | store traces sample -n 200 --store runs.db | --version v2
store traces sample --scenario | store traces sample -n 200 --store runs.db | --scenario a
store traces sample --since | store traces sample -n 200 --store runs.db | --since 2026-03-02
store traces sample --until | store traces sample -n 200 --store runs.db | --until 2026-03-02
store traces sample --outcome | store traces sample -n 200 --store runs.db | --outcome fail
store traces sample --json | store traces sample -n 5 --store runs.db | --json
store traces sample --output | store traces sample -n 5 --store runs.db | --output made
store traces sample --report | store traces sample -n 5 --store runs.db | --report json=made.json
store traces show --store | store traces show 0/0/0 | --store runs.db
`

// unseen are flags whose effect cannot be seen in such a row, with the test that looks at it.
var unseen = map[string]string{
	"--help": "TestHelp", "--file-mode": "TestModeOfFiles", "--max-memory": "TestFilesBeyondTheMemory",
	"--sign": "TestScripts/signatures", "--concurrency": "TestExecutionsAtOnce and the tests of package runner",
	"--quiet": "TestScripts/talk", "--verbose": "TestScripts/talk", "--color": "TestScripts/talk",
	"mcp --root": "TestFlagsOfMCP", "mcp --allow-run": "TestFlagsOfMCP", "mcp --max-cost": "TestFlagsOfMCP",
	"mcp --max-trials": "TestAgentsRunWithinTheirBudget", "mcp --alpha": "TestFlagsOfMCP",
	"mcp --session":    "TestFlagsOfMCP",
	"mcp --ledger":     "TestFlagsOfMCP",
	"wire --max-turns": "TestScripts/wire", "wire --max-cost": "TestScripts/wire", "wire --max-tokens": "TestScripts/wire",
	"wire --fault":    "TestScripts/faults",
	"wire --cassette": "TestScripts/wire", "wire --replay": "TestScripts/wire", "wire --ignore": "TestScripts/wire",
	"wire --timing":  "TestPartsAndTheirTimes",
	"wire --confine": "TestScripts/confine",
	"wire --script":  "TestScripts/wire_script", "wire --seed": "TestScripts/wire_script",
	"wire --upstream": "TestScripts/wire", "wire --key-env": "TestScripts/wire", "wire --prices": "TestScripts/wire",
	"wire --mcp": "TestScripts/wire_tools", "wire mcp --name": "TestScripts/wire_tools",
	"wire --guard": "TestScripts/wire_tools", "wire --contract": "TestScripts/wire_tools",
	"run mutants --kill-alpha": "TestScripts/mutate_campaign", "run mutants --kill-beta": "TestScripts/mutate_campaign",
	"run mutants --kill-delta": "TestScripts/mutate_campaign", "run mutants --guard": "TestScripts/mutate_campaign",
	"run mutants --family": "TestScripts/mutate_campaign", "run mutants --behaviour-kills": "TestScripts/mutate_campaign",
	"run mutants --suggest": "TestScripts/mutate_campaign", "run mutants --record": "TestScripts/mutate_campaign",
	"run mutants --resume": "TestScripts/mutate_campaign", "run mutants --fresh": "TestScripts/mutate_campaign",
	"run mutants --max-cost": "TestScripts/mutate_campaign",
	"run mutants --prices":   "the tests of run, whose parts a campaign has",
	"run mutants --explain":  "TestScripts/mutate_campaign",
	"run mutants --store":    "TestScripts/mutate_campaign", "import --label": "TestScripts/store_import",
	"store traces show --json": "TestScripts/traces", "report view --no-open": "TestScripts/view_diff",
	"improve race --fresh": "TestScripts/race", "improve race --store": "TestScripts/race",
	"improve race --new-agent":          "TestScripts/race",
	"check suggest --generator-timeout": "TestScripts/suggest",
	"store baseline set --reason":       "TestScripts/baseline", "store baseline set --who": "TestScripts/baseline",
	"store baseline set --max-age": "TestScripts/baseline", "store baseline set --store": "TestScripts/baseline",
	"check --store":                  "TestScripts/baseline",
	"store baseline record --reason": "TestScripts/baseline", "store baseline record --who": "TestScripts/baseline",
	"store baseline record --max-age": "TestScripts/baseline", "store baseline record --store": "TestScripts/promote",
	"store baseline record --trials": "TestScripts/baseline", "store baseline record --expect": "TestScripts/baseline",
	"store baseline record --candidates": "TestScripts/baseline",
	"store baseline record --max-cost":   "TestScripts/baseline",
	"store baseline promote --reason":    "TestScripts/baseline", "store baseline promote --who": "TestScripts/baseline",
	"store baseline promote --max-age": "TestScripts/baseline", "store baseline promote --store": "TestScripts/baseline",
	"store baseline promote --to": "TestScripts/baseline", "store baseline promote --force": "TestScripts/baseline",
	"store baseline show --output": "TestScripts/baseline", "store baseline show --report": "TestScripts/baseline",
	"store baseline show --json": "TestScripts/baseline", "store baseline show --store": "TestScripts/promote",
	"store baseline list --json": "TestScripts/baseline", "store baseline list --store": "TestScripts/baseline",
	"store scenario --trial": "TestScripts/promote", "store scenario --as": "TestScripts/promote",
	"store scenario --accept": "TestScripts/promote", "store scenario --store": "TestScripts/promote",
	"wire serve --listen": "TestScripts/wire_serve", "wire serve --allow-remote": "TestScripts/wire_serve",
	"wire serve --for": "TestScripts/wire_serve", "wire serve --trials": "TestScripts/wire_serve",
	"wire serve --max-turns": "TestScripts/wire_serve", "wire serve --upstream": "TestScripts/wire_serve",
	"wire serve --key-env": "TestScripts/wire_serve", "wire serve --script": "TestScripts/wire_serve",
	"wire serve --fault": "TestScripts/wire_serve", "wire serve --max-cost": "TestServedAsARunProgram",
	"wire serve --max-tokens": "TestServedAsARunProgram", "wire serve --prices": "TestServedAsARunProgram",
	"wire serve --seed": "TestServedAsARunProgram", "wire serve --cassette": "TestServedAsARunProgram",
	"wire serve --replay": "TestServedAsARunProgram", "wire serve --ignore": "TestServedAsARunProgram",
	"wire serve --timing": "TestPartsAndTheirTimes", "wire serve --mcp": "TestServedAsARunProgram",
	"wire serve --guard": "TestServedAsARunProgram", "wire serve --contract": "TestServedAsARunProgram",
	"store info --json": "TestScripts/store", "store export --output": "TestScripts/store",
	"store prune --keep-traces": "TestScripts/store", "store prune --keep-trials": "TestScripts/store",
	"store prune --dry-run": "TestScripts/store", "store info --store": "TestScripts/store",
	"store export --store": "TestScripts/store", "store import --store": "TestScripts/store",
	"store prune --store": "TestScripts/store", "store result --store": "TestScripts/store",
	"store label --store": "TestScripts/store",
	"monitor --follow":    "TestScripts/monitor", "monitor --for": "TestScripts/monitor",
	"monitor --accept": "TestScripts/monitor",
	"monitor --otlp":   "TestMonitorReceivesTraces", "monitor --listen": "TestMonitorReceivesTraces",
	"monitor --webhook": "TestMonitorReceivesTraces", "monitor --token": "TestMonitorAsksForItsToken",
	"--eager": "tests of package runner", "--grace": "TestProgram",
	"store serve --store": "TestScripts/serve", "store serve --listen": "TestScripts/serve",
	"store serve --token": "TestScripts/serve",
	"--fleet":             "TestScripts/fleet", "--workers-token": "TestFleetOfTheCommandLine in cmd/tribunal-fleet",
	"--workers-nkeys": "TestFleetOfTheCommandLine", "--fleet-label": "TestFleetOfTheCommandLine",
	"--fleet-rate": "TestRate in package fleet", "--fleet-lease": "TestPartition in package fleet",
	"--tls-cert": "TestFleetOfTheCommandLine", "--tls-key": "TestFleetOfTheCommandLine",
	"--tls-ca": "TestFleetOfTheCommandLine", "--nkey": "TestFleetOfTheCommandLine",
	"--creds":            "TestCredentials in package fleet",
	"run worker --slots": "TestFleetOfTheCommandLine", "run worker --label": "TestFleetOfTheCommandLine",
	"run worker --token": "TestFleetOfTheCommandLine", "run worker --name": "TestFleetOfTheCommandLine",
	"run worker --health":   "TestFleetOfTheCommandLine",
	"run --missing":         "TestScripts/run_baseline",
	"store serve --journal": "TestScripts/serve", "store serve --for": "TestScripts/serve",
	"run --live": "TestScripts/serve",
}

// withoutOutcomes are commands that do not look at outcomes, so that what gives trials theirs changes nothing.
var withoutOutcomes = map[string]bool{"check contract": true, "check coverage": true, "compare fingerprint": true,
	"plan prices check": true, "check suggest": true}

// TestEveryFlagHasAnEffect fails where a flag is accepted and changes nothing, and for a flag that has no row.
func TestEveryFlagHasAnEffect(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs some hundred commands")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the agent needs a shell")
	}
	rows := map[string][2]string{}
	for line := range strings.Lines(strings.TrimSpace(flagEffects)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 3 {
			t.Fatalf("row %q", line)
		}
		rows[cells[0]] = [2]string{cells[1], cells[2]}
	}
	// How a command reads a file.
	reads := map[string]string{
		"verdict": "verdict FILE --threshold 0.6", "compare": "compare FILE FILE --allow-duplicates",
		"plan":                "plan --threshold 0.9 --prior FILE",
		"compare fingerprint": "compare fingerprint FILE", "plan month": "plan month FILE --runs-per-day 5",
		"check coverage": "check coverage FILE",
		"check contract": "check contract contract.yaml FILE", "import": "import FILE",
		"judge": "judge tribunal.yaml FILE", "judge label": "judge label FILE --output made.csv",
		"plan limits": "plan limits FILE --share 0.5 --confidence 0.5", "check suggest": "check suggest suggest.yaml FILE",
		"report verify":    "report verify rates.json --recording FILE",
		"plan prices list": "plan prices list", "plan prices check": "plan prices check FILE", "monitor": "monitor FILE",
	}
	root := root(completed(App{}))
	used, bases := map[string]bool{}, map[string]string{}
	for _, command := range base.WithSubcommands(root) {
		name := strings.TrimPrefix(command.CommandPath(), "tribunal ")
		command.Flags().VisitAll(func(flag *pflag.Flag) {
			long := "--" + flag.Name
			if unseen[long] != "" || unseen[name+" "+long] != "" || flag.Hidden || withoutOutcomes[name] &&
				(long == "--pass-score" || long == "--scorer") {
				return
			}
			key := name + " " + long
			row, known := rows[key]
			if !known {
				key = "* " + long
				row, known = rows[key]
				row[0] = strings.ReplaceAll(strings.ReplaceAll(reads[name], "FILE", row[0]), "TRIALS", "x.jsonl")
				known = known && reads[name] != ""
			}
			if !known {
				t.Errorf("%s %s has no row", name, long)
				return
			}
			used[key] = true
			// A change tries a row of sixteen, the same each time.
			if row := len(used); row%16 != 0 && !thorough.Asked() {
				return
			}
			without, with := bases[row[0]], seen(t, row[0], row[1])
			if without == "" {
				without = seen(t, row[0], "")
				bases[row[0]] = without
			}
			if without == with {
				t.Errorf("%s %s: nothing differs\n%s", row[0], row[1], with)
			}
			if strings.HasPrefix(with, "exit 70") || strings.HasPrefix(without, "exit 70") ||
				strings.Contains(with, "unknown flag") {
				t.Errorf("%s %s: %s", row[0], row[1], with)
			}
		})
	}
	for key := range rows {
		if !used[key] {
			t.Errorf("the row %s is of no flag", key)
		}
	}
}

// ofTime is what differs from run to run.
var ofTime = regexp.MustCompile(`\d+(\.\d+)?(e-\d+)? ?(m?s|µs)\b|"(duration_s|elapsed_s|started_at|finished_at|last)": ?[^,\n]*|[0-9a-f]{32,}|time="[^"]*"|spent.*`)

// seen runs a command in a folder of its own and returns all that can be seen of it.
func seen(t *testing.T, row, more string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(effectsFolder(t))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	before := listed(t)
	// Flags stand before what is behind the dashes.
	fields, behind, dashes := strings.Cut(row, " -- ")
	args := append(strings.Fields(fields), strings.Fields(more)...)
	if dashes {
		args = append(append(args, "--"), strings.Fields(behind)...)
	}
	named := 1 // words of the command
	if len(args) > 1 && slices.Contains([]string{"conformance", "merge", "mutants", "relations", "decide", "fingerprint",
		"rank"}, args[1]) {
		named = 2
	}
	if !strings.Contains(row+more, "--ledger") && !strings.Contains(row+more, "--results") && slices.Contains(
		[]string{"verdict", "compare", "run", "gate", "run conformance"}, strings.Join(args[:named], " ")) {
		args = slices.Insert(args, named, "--ledger", "off")
	}
	app := App{Stdin: strings.NewReader(strings.Repeat(`{"outcome":"pass"}`+"\n", 60))}
	code, stdout, stderr := tribunal(context.Background(), app, args...)
	var made []string
	for name, text := range listed(t) {
		if old, was := before[name]; !was || old != text {
			made = append(made, name)
			// Of a store it is told what is added; its bytes differ each time.
			if !strings.Contains(name, "journal") && !strings.Contains(name, ".db") {
				stdout += text
			}
		}
	}
	all := fmt.Sprintf("exit %d\n%s\n%s\n%d files", code, stdout, stderr, len(made))
	return ofTime.ReplaceAllString(strings.ReplaceAll(all, folder, ""), "")
}

// listed are the files of the working directory, with their contents.
func listed(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

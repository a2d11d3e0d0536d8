package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
sql --dialect | sql --table t --dialect duckdb | --dialect postgres
sql --format | sql --table t --dialect duckdb | --format otel
sql --table | sql --table t --dialect duckdb | --table u
sql --scenario-column | sql --table t --dialect duckdb | --scenario-column c
sql --variant-column | sql --table t --dialect duckdb | --variant-column c
sql --input-column | sql --table t --dialect duckdb | --input-column c
sql --outcome-column | sql --table t --dialect duckdb | --outcome-column c
sql --score-column | sql --table t --dialect duckdb --pass-score 1 | --score-column c
sql --pass-score | sql --table t --dialect duckdb --score-column c | --pass-score 1
sql --id-column | sql --table t --dialect duckdb | --id-column c
sql --time-column | sql --table t --dialect duckdb --since 2026-11-01 | --time-column c
sql --cost-column | sql --table t --dialect duckdb | --cost-column c
sql --tokens-column | sql --table t --dialect duckdb | --tokens-column c
sql --turns-column | sql --table t --dialect duckdb | --turns-column c
sql --tool-calls-column | sql --table t --dialect duckdb | --tool-calls-column c
sql --tool-errors-column | sql --table t --dialect duckdb | --tool-errors-column c
sql --duration-column | sql --table t --dialect duckdb | --duration-column c
sql --measure | sql --table t --dialect duckdb | --measure steps
sql --tool | sql --table t --dialect duckdb --format otel | --tool search
sql --since | sql --table t --dialect duckdb --format otel | --since 2026-11-01
sql --until | sql --table t --dialect duckdb --format otel | --until 2026-11-01
sql --sample | sql --table t --dialect duckdb --format otel | --sample 3
sql --seed | sql --table t --dialect duckdb --format otel | --seed 8
fingerprint --csv | fingerprint x.jsonl y.jsonl --json | --csv
fingerprint --pooled | fingerprint x.jsonl y.jsonl | --pooled
fingerprint --seed | fingerprint x.jsonl y.jsonl --json | --seed 8
fingerprint --chart | fingerprint x.jsonl y.jsonl | --chart made.svg
fingerprint --baseline-variant | fingerprint variants.jsonl variants.jsonl --candidate-variant b | --baseline-variant a
fingerprint --candidate-variant | fingerprint variants.jsonl variants.jsonl --baseline-variant a | --candidate-variant b
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
conform --agent | conform corpus | --agent other.yaml
conform --threshold | conform corpus | --threshold 0.6
conform --attack-success | conform corpus | --attack-success 0.2
conform --save-baseline | conform corpus | --save-baseline made.json
conform --forecast-runs-per-day | conform corpus | --forecast-runs-per-day 5
conform --price-per-mtok | conform corpus --forecast-runs-per-day 5 | --price-per-mtok 5
conform --baseline | conform corpus | --baseline base.result.json
conform --record | conform corpus | --record 20
conform --family | conform corpus | --family holm
conform --journal | conform corpus | --journal made.jsonl
conform --output | conform corpus | --output made
conform --resume | conform corpus | --resume
conform --fresh | conform corpus --journal stopped.jsonl --output made | --fresh
conform --report | conform corpus | --report junit=made.xml
conform --extend | conform corpus | --extend 5
conform --json | conform corpus | --json
conform --on-inconclusive | conform corpus --max-cost 0.3 | --on-inconclusive fail
conform --scenarios | conform corpus | --scenarios 1
conform --explain | conform corpus | --explain
conform --seed | conform corpus --json | --seed 8
conform --prices | conform corpus | --prices nowhere.yaml
conform --max-cost | conform corpus | --max-cost 0.3
conform --looks | conform corpus --ledger l.jsonl | --looks 3
conform --new-agent | conform corpus --ledger l.jsonl | --new-agent
conform --ledger | conform corpus | --ledger made.jsonl
conform --only | conform corpus | --only one
conform --tag | conform corpus | --tag big
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
decide --threshold | decide | --threshold 0.5
decide --alpha | decide | --alpha 0.3
decide --delta | decide | --delta 0.3
decide --beta | decide | --beta 0.3
decide --max-trials | decide | --max-trials 60
decide --design | decide | --design wald
decide --name | decide --output made | --name other
decide --output | decide | --output made
decide --baseline | decide | --baseline nowhere.json
decide --record | decide | --record 20
ratchet run --attempts | ratchet run loop | --attempts 1
ratchet run --max-cost | ratchet run loop | --max-cost 0.05
ratchet run --resume | ratchet run begun | --resume
ratchet run --fresh | ratchet run begun | --fresh
ratchet run --show-prompt | ratchet run begun --resume | --show-prompt 1
ratchet run --output | ratchet run loop | --output made
ratchet run --json | ratchet run loop | --json
ratchet run --report | ratchet run loop | --report junit=made.xml
ratchet run --on-inconclusive | ratchet run loop --max-cost 0.05 | --on-inconclusive fail
ratchet run --scenarios | ratchet run loop | --scenarios 1
ratchet run --explain | ratchet run loop | --explain
ratchet init --loop | ratchet init | --loop
ratchet init --fresh | ratchet init duo | --fresh
ratchet init --alpha | ratchet init | --alpha 0.1
ratchet init --spending | ratchet init | --spending lord++
ratchet init --gain | ratchet init | --gain 0.15
ratchet init --rate | ratchet init | --rate 0.7
ratchet init --power | ratchet init | --power 0.7
ratchet init --max-pairs | ratchet init | --max-pairs 50
ratchet init --seed | ratchet init | --seed 4
ratchet init --json | ratchet init | --json
ratchet init --output | ratchet init | --output made
ratchet init --report | ratchet init | --report html=made.html
ratchet try --suite | ratchet try --challenger broken | --suite duo
ratchet try --champion | ratchet try --suite duo --challenger broken | --champion broken
ratchet try --challenger | ratchet try --suite duo | --challenger broken
ratchet try --final | ratchet try --suite duo --challenger broken | --final 2
ratchet try --max-cost | ratchet try --suite duo --challenger broken | --max-cost 0.1
ratchet try --output | ratchet try --suite duo --challenger broken | --output made
ratchet try --json | ratchet try --suite duo --challenger broken | --json
ratchet try --report | ratchet try --suite duo --challenger broken | --report junit=made.xml
ratchet try --on-inconclusive | ratchet try --suite duo --challenger broken --max-cost 0.1 | --on-inconclusive fail
ratchet try --scenarios | ratchet try --suite duo --challenger broken | --scenarios 1
ratchet try --explain | ratchet try --suite duo --challenger broken | --explain
ratchet status --json | ratchet status begun | --json
ratchet status --output | ratchet status begun | --output made
ratchet status --scenarios | ratchet status begun | --scenarios 1
ratchet status --explain | ratchet status begun | --explain
relate --relation | relate pairs.yaml | --relation twice
relate --alpha | relate pairs.yaml --json | --alpha 0.2
relate --beta | relate pairs.yaml --json | --beta 0.3
relate --delta | relate pairs.yaml --json | --delta 0.5
relate --baseline | relate pairs.yaml | --baseline base.relations.json
relate --record | relate pairs.yaml | --record 20
relate --recorded | relate pairs.yaml | --recorded pairs.jsonl
relate --resume | relate pairs.yaml | --resume
relate --fresh | relate stopped-pairs.yaml | --fresh
relate --prices | relate pairs.yaml | --prices nowhere.yaml
relate --output | relate pairs.yaml | --output made
relate --report | relate pairs.yaml | --report junit=made.xml
relate --json | relate pairs.yaml | --json
relate --on-inconclusive | relate pairs.yaml --max-cost 0.3 | --on-inconclusive fail
relate --scenarios | relate pairs.yaml | --scenarios 1
relate --explain | relate pairs.yaml | --explain
relate --max-cost | relate pairs.yaml | --max-cost 0.3
relate --only | relate pairs.yaml | --only one
relate --tag | relate pairs.yaml | --tag big
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
verify --suite | verify .tribunal/s.result.json | --suite tribunal.yaml
verify --journal | verify .tribunal/s.result.json | --journal .tribunal/s.journal.jsonl
verify --quarantine | verify .tribunal/s.result.json | --quarantine x.jsonl
verify --report | verify .tribunal/s.result.json | --report junit=made.xml
verify --recording | verify rates.json | --recording x.jsonl
verify --prices | verify rates.json --recording x.jsonl | --prices nowhere.yaml
verify --allow-duplicates | verify rates.json --recording x.jsonl --recording x.jsonl | --allow-duplicates
verify --trial-from | verify compared.json --recording baseline=twice.csv | --trial-from order
verify --trusted | verify .tribunal/s.result.json | --trusted nowhere.pub
history --version | history two --store nights.db | --version b
history --branch | history shop --store nights.db | --branch side
history --kind | history shop --store nights.db | --kind race
history --scenario | history shop --store nights.db | --scenario one
history --since | history shop --store nights.db | --since 2026-03-05
history --until | history shop --store nights.db | --until 2026-03-05
history --metric | history shop --store nights.db | --metric cost
history --baseline | history shop --store nights.db --metric distance | --baseline nowhere
history --alpha | history shop --store nights.db | --alpha 0.2
history --unit | history shop --store nights.db | --unit trials
history --points | history shop --store nights.db | --points 3
history --store | history shop | --store nights.db
history --json | history shop --store nights.db | --json
history --output | history shop --store nights.db | --output made
history --report | history shop --store nights.db | --report junit=made.xml
forecast --runs-per-day | forecast x.jsonl --runs-per-day 5 | --runs-per-day 50
forecast --price-per-mtok | forecast free.jsonl --runs-per-day 5 | --price-per-mtok 2
run --shard | run --fresh | --shard 1/2
merge --suite | merge --fresh | --suite open.yaml
merge --baseline | merge --fresh | --baseline base.result.json
merge --record | merge --fresh | --record 20
merge --family | merge --fresh | --family holm
merge --journal | merge --fresh | --journal made.jsonl
merge --output | merge --fresh | --output made
merge --fresh | merge --journal stopped.jsonl | --fresh
merge --report | merge --fresh | --report junit=made.xml
merge --json | merge --fresh | --json
merge --on-inconclusive | merge open.shard.jsonl --suite open.yaml --fresh | --on-inconclusive fail
merge --scenarios | merge --fresh | --scenarios 1
merge --explain | merge --fresh | --explain
merge --store | merge --fresh | --store made.db
merge --looks | merge --fresh --ledger l.jsonl | --looks 3
merge --new-agent | merge --fresh --ledger l.jsonl | --new-agent
merge --ledger | merge --fresh | --ledger made.jsonl
merge --only | merge --fresh | --only one
merge --tag | merge --fresh | --tag big
merge --profile | merge --fresh | --profile big
race --alpha | race race.yaml --plan | --alpha 0.2
race --beta | race race.yaml --plan --json | --beta 0.3
race --delta | race race.yaml --plan | --delta 0.4
race --rate | race race.yaml --plan | --rate 0.9
race --max-rounds | race race.yaml --plan | --max-rounds 30
race --worth | race race.yaml --plan --json | --worth 2
race --seed | race race.yaml --plan --json | --seed 9
race --plan | race race.yaml --delta 0.4 | --plan
race --compare | race race.yaml --plan | --compare
race --looks | race race.yaml --plan | --looks 3
race --ledger | race race.yaml --delta 0.4 | --ledger made.jsonl
race --resume | race race.yaml --delta 0.4 | --resume
race --prices | race race.yaml --delta 0.4 | --prices nowhere.yaml
race --output | race race.yaml --delta 0.4 | --output made
race --report | race race.yaml --delta 0.4 | --report junit=made.xml
race --json | race race.yaml --delta 0.4 | --json
race --on-inconclusive | race race.yaml --delta 0.4 --max-cost 0.3 | --on-inconclusive fail
race --scenarios | race race.yaml --delta 0.4 | --scenarios 1
race --explain | race race.yaml --delta 0.4 | --explain
race --max-cost | race race.yaml --delta 0.4 | --max-cost 0.3
race --only | race race.yaml --delta 0.4 | --only one
race --tag | race race.yaml --delta 0.4 | --tag big
run --profile | run tribunal.yaml --ledger off --fresh --json | --profile big
gate --profile | gate --ledger off | --profile big
check --profile | check tribunal.yaml | --profile big
plan --profile | plan --threshold 0.9 | --profile big
rank --alpha | rank axes.json axes-2.json | --alpha 0.2
rank --improve | rank axes.json axes-2.json | --improve tone
rank --delta | rank axes.json axes-2.json --improve tone | --delta 0.2
rank --seed | rank axes.json axes-2.json --json | --seed 8
rank --json | rank axes.json axes-2.json | --json
rank --output | rank axes.json axes-2.json | --output made.json
rank --report | rank axes.json axes-2.json | --report junit=made.xml
mutate --list | mutate mutate.yaml | --list
mutate --show | mutate mutate.yaml | --show M1
mutate --json | mutate mutate.yaml --list | --json
mutate --operators | mutate mutate.yaml --list | --operators prompt.drop
mutate --own | mutate mutate.yaml --list | --own mine=false
mutate --per-operator | mutate mutate.yaml --list | --per-operator 1
mutate --sample | mutate mutate.yaml --list | --sample 2
mutate --since | mutate mutate.yaml --list | --since HEAD
mutate --learn | mutate mutate.yaml --list | --learn
mutate --compose | mutate mutate.yaml --list | --compose 2
mutate --seed | mutate mutate.yaml --show M3 | --seed 9
mutate --recorded | mutate mutate.yaml | --recorded x.jsonl
mutate --fail-under | mutate checked.yaml --recorded x.jsonl | --fail-under 1
mutate --report | mutate checked.yaml --recorded x.jsonl | --report junit=made.xml
mutate --output | mutate checked.yaml --recorded x.jsonl | --output made
mutate --on-inconclusive | mutate checked.yaml --recorded own.jsonl --fail-under 1 | --on-inconclusive fail
mutate --scenarios | mutate checked.yaml --recorded x.jsonl | --scenarios 1
mutate --only | mutate checked.yaml --recorded x.jsonl | --only a
mutate --tag | mutate checked.yaml --recorded x.jsonl | --tag big
evaluators --list | evaluators | --list
evaluators --json | evaluators --list | --json
evaluators --output | evaluators --list | --output made
evaluators --report | evaluators --list | --report markdown=made.md
store info --output | store info --store runs.db | --output made
store info --report | store info --store runs.db | --report markdown=made.md
baseline list --output | baseline list --store runs.db | --output made
baseline list --report | baseline list --store runs.db | --report markdown=made.md
limits --share | limits x.jsonl --confidence 0.5 --share 0.5 | --share 0.6
limits --confidence | limits x.jsonl --share 0.5 --confidence 0.5 | --confidence 0.8
limits --json | limits x.jsonl --share 0.5 --confidence 0.5 | --json
limits --output | limits x.jsonl --share 0.5 --confidence 0.5 | --output made
check --only | check | --only one
check --tag | check | --tag big
check --json | check | --json
check --output | check | --output made
check --scenarios | check | --scenarios 1
check --report | check | --report junit=made.xml
check --baseline | check | --baseline base.result.json
contract check --clauses | contract check contract.yaml x.jsonl | --clauses 1
coverage --suite | coverage x.jsonl --tools tools.json | --suite tribunal.yaml
coverage --tools | coverage x.jsonl | --tools tools.json
coverage --calibrate-lambda | coverage x.jsonl --tools tools.json | --calibrate-lambda
coverage --minimum | coverage x.jsonl --tools tools.json | --minimum 0.9
suggest --target | suggest suggest.yaml x.jsonl | --target tool=0.5
suggest --count | suggest suggest.yaml --schema schema.json | --count 2
suggest --schema | suggest suggest.yaml x.jsonl | --schema schema.json
suggest --generator | suggest suggest.yaml x.jsonl | --generator cat
suggest --seed | suggest suggest.yaml --schema schema.json | --seed 9
suggest --run | suggest suggest.yaml --schema schema.json | --run
suggest --max-cost | suggest suggest.yaml --schema schema.json --run | --max-cost 0.15
suggest --confirm | suggest suggest.yaml --schema schema.json --run | --confirm 0
suggest --shrink | suggest suggest.yaml --schema schema.json --run | --shrink 0
check --offline | check | --offline
wire --output | wire -- true | --output made
wire --scenario | wire --output made -- true | --scenario s
wire serve --json | wire serve --for 1ms | --json
wire serve --scenario | wire serve --for 1ms | --scenario s
judge --output | judge tribunal.yaml x.jsonl | --output made
judge --variant | judge tribunal.yaml variants.jsonl | --variant b
judge --only | judge tribunal.yaml own.jsonl | --only one
judge --tag | judge tribunal.yaml own.jsonl | --tag big
label --n | label x.jsonl --output made.csv | --n 20
label --seed | label x.jsonl --output made.csv | --seed 8
label --output | label x.jsonl --output made.csv | --output other.csv
label --variant | label variants.jsonl --output made.csv | --variant b
judge-check --alpha | judge-check labelled.csv | --alpha 0.2
judge-check --json | judge-check labelled.csv | --json
judge-check --output | judge-check labelled.csv | --output made
judge-check --report | judge-check labelled.csv | --report markdown=made.md
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
conform --store | conform corpus | --store made.db
repeat --store | repeat --fresh --stdout -- cat x.jsonl | --store made.db
relate --store | relate pairs.yaml | --store made.db
report --store | report store:kind=verdict | --store runs.db
verify --store | verify store:kind=verdict | --store runs.db
traces query --store | traces query | --store runs.db
traces query --version | traces query --store runs.db --limit 200 | --version v2
traces query --scenario | traces query --store runs.db --limit 200 | --scenario a
traces query --since | traces query --store runs.db --limit 200 | --since 2026-03-02
traces query --until | traces query --store runs.db --limit 200 | --until 2026-03-02
traces query --outcome | traces query --store runs.db --limit 200 | --outcome fail
traces query --search | traces query --store runs.db --limit 200 | --search nowhere
traces query --limit | traces query --store runs.db | --limit 1
traces query --json | traces query --store runs.db --limit 200 | --json
traces query --output | traces query --store runs.db --limit 200 | --output made
traces query --report | traces query --store runs.db | --report markdown=made.md
traces sample --store | traces sample -n 5 | --store runs.db
traces sample --trials | traces sample --store runs.db | --trials 5
traces sample --seed | traces sample -n 5 --store runs.db | --seed 8
traces sample --stratified | traces sample -n 5 --store runs.db kind=import,version=v1 | --stratified
traces sample --version | traces sample -n 200 --store runs.db | --version v2
traces sample --scenario | traces sample -n 200 --store runs.db | --scenario a
traces sample --since | traces sample -n 200 --store runs.db | --since 2026-03-02
traces sample --until | traces sample -n 200 --store runs.db | --until 2026-03-02
traces sample --outcome | traces sample -n 200 --store runs.db | --outcome fail
traces sample --json | traces sample -n 5 --store runs.db | --json
traces sample --output | traces sample -n 5 --store runs.db | --output made
traces sample --report | traces sample -n 5 --store runs.db | --report json=made.json
traces show --store | traces show 0/0/0 | --store runs.db
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
	"mutate --kill-alpha": "TestScripts/mutate_campaign", "mutate --kill-beta": "TestScripts/mutate_campaign",
	"mutate --kill-delta": "TestScripts/mutate_campaign", "mutate --guard": "TestScripts/mutate_campaign",
	"mutate --family": "TestScripts/mutate_campaign", "mutate --behaviour-kills": "TestScripts/mutate_campaign",
	"mutate --suggest": "TestScripts/mutate_campaign", "mutate --record": "TestScripts/mutate_campaign",
	"mutate --resume": "TestScripts/mutate_campaign", "mutate --fresh": "TestScripts/mutate_campaign",
	"mutate --max-cost": "TestScripts/mutate_campaign", "mutate --prices": "the tests of run, whose parts a campaign has",
	"mutate --explain": "TestScripts/mutate_campaign",
	"mutate --store":   "TestScripts/mutate_campaign", "import --label": "TestScripts/store_import",
	"traces show --json": "TestScripts/traces",
	"race --fresh":       "TestScripts/race", "race --store": "TestScripts/race", "race --new-agent": "TestScripts/race",
	"suggest --generator-timeout": "TestScripts/suggest",
	"baseline set --reason":       "TestScripts/baseline", "baseline set --who": "TestScripts/baseline",
	"baseline set --max-age": "TestScripts/baseline", "baseline set --store": "TestScripts/baseline",
	"baseline record --reason": "TestScripts/baseline", "baseline record --who": "TestScripts/baseline",
	"baseline record --max-age": "TestScripts/baseline", "baseline record --store": "TestScripts/promote",
	"baseline record --trials": "TestScripts/baseline", "baseline record --expect": "TestScripts/baseline",
	"baseline record --candidates": "TestScripts/baseline", "baseline record --max-cost": "TestScripts/baseline",
	"baseline promote --reason": "TestScripts/baseline", "baseline promote --who": "TestScripts/baseline",
	"baseline promote --max-age": "TestScripts/baseline", "baseline promote --store": "TestScripts/baseline",
	"baseline promote --to": "TestScripts/baseline", "baseline promote --force": "TestScripts/baseline",
	"baseline show --output": "TestScripts/baseline", "baseline show --report": "TestScripts/baseline",
	"baseline show --json": "TestScripts/baseline", "baseline show --store": "TestScripts/promote",
	"baseline list --json": "TestScripts/baseline", "baseline list --store": "TestScripts/baseline",
	"promote --trial": "TestScripts/promote", "promote --as": "TestScripts/promote",
	"promote --accept": "TestScripts/promote", "promote --store": "TestScripts/promote",
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
	"serve --store": "TestScripts/serve", "serve --listen": "TestScripts/serve", "serve --token": "TestScripts/serve",
	"--fleet": "TestScripts/fleet", "--workers-token": "TestFleetOfTheCommandLine in cmd/tribunal-fleet",
	"--workers-nkeys": "TestFleetOfTheCommandLine", "--fleet-label": "TestFleetOfTheCommandLine",
	"--fleet-rate": "TestRate in package fleet", "--fleet-lease": "TestPartition in package fleet",
	"--tls-cert": "TestFleetOfTheCommandLine", "--tls-key": "TestFleetOfTheCommandLine",
	"--tls-ca": "TestFleetOfTheCommandLine", "--nkey": "TestFleetOfTheCommandLine",
	"--creds":        "TestCredentials in package fleet",
	"worker --slots": "TestFleetOfTheCommandLine", "worker --label": "TestFleetOfTheCommandLine",
	"worker --token": "TestFleetOfTheCommandLine", "worker --name": "TestFleetOfTheCommandLine",
	"worker --health": "TestFleetOfTheCommandLine",
	"run --missing":   "TestScripts/run_baseline",
	"serve --journal": "TestScripts/serve", "serve --for": "TestScripts/serve", "run --live": "TestScripts/serve",
}

// withoutOutcomes are commands that do not look at outcomes, so that what gives trials theirs changes nothing.
var withoutOutcomes = map[string]bool{"contract check": true, "coverage": true, "fingerprint": true,
	"prices check": true, "suggest": true}

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
		"verdict": "verdict FILE --threshold 0.6", "compare": "compare FILE FILE",
		"plan":        "plan --threshold 0.9 --prior FILE",
		"fingerprint": "fingerprint FILE", "forecast": "forecast FILE --runs-per-day 5", "coverage": "coverage FILE",
		"contract check": "contract check contract.yaml FILE", "import": "import FILE",
		"judge": "judge tribunal.yaml FILE", "label": "label FILE --output made.csv",
		"limits": "limits FILE --share 0.5 --confidence 0.5", "suggest": "suggest suggest.yaml FILE",
		"verify":      "verify rates.json --recording FILE",
		"prices list": "prices list", "prices check": "prices check FILE", "monitor": "monitor FILE",
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
	if !strings.Contains(row+more, "--ledger") && !strings.Contains(row+more, "--results") &&
		strings.Contains(" verdict compare run gate conform ", " "+args[0]+" ") {
		args = append(args[:1:1], append([]string{"--ledger", "off"}, args[1:]...)...)
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

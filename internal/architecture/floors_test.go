package architecture_test

const module = "github.com/tribunal-dev/tribunal"

// floors are the storeys of the house, from the ground up; the package comment walks
// through them. An import may only point to a lower one. Every package stands on one
// floor, by its name.
var floors = [][]string{
	{ // words for people, and what is made when it is first needed
		"docs",
		"internal/lazy",
		"internal/prose",
	},
	{ // what knows nothing of trials, and tests of the repository itself
		"internal/architecture",
		"internal/beside",
		"internal/census",
		"internal/cgroup",
		"internal/confine",
		"internal/enum",
		"internal/jsonschema",
		"internal/jsonspan",
		"internal/exit",
		"internal/filelock",
		"internal/heap",
		"internal/leftovers",
		"internal/likeness",
		"internal/manual",
		"internal/nodeserver",
		"internal/otlphttp",
		"internal/phrase",
		"internal/redact",
		"internal/refdata",
		"internal/seeded",
		"internal/signature",
		"internal/special",
		"internal/sse",
		"internal/table",
		"internal/testresults",
		"internal/thorough",
		"wire/internal/dialect/operations",
	},
	{ // distributions, values of schemas, how much memory there is, and queries of databases
		"internal/arbitrary",
		"internal/built",
		"internal/memory",
		"internal/warehouse",
		"stats/dist",
	},
	{ // numbers, the vocabulary, programs
		"internal/process",
		"stats",
		"trial",
	},
	{ // what else is done with numbers, and what files may be read
		"coverage/graph",
		"fingerprint/hotelling",
		"internal/canary",
		"internal/input",
		"selection/race",
		"stats/agreement",
		"stats/controlvariate",
		"stats/multiplicity",
		"stats/sample",
		"stats/threshold",
		"stats/twophase",
	},
	{ // one question about trials each
		"coverage",
		"fingerprint",
		"ingest/internal/record",
		"internal/door",
		"internal/glob",
		"internal/yamlnode",
		"oracle",
		"oracle/guardrails",
		"runner/journal",
		"change",
		"selection/keep",
		"sprt",
		"stats/intraclass",
		"usage",
		"wire/internal/dialect",
	},
	{ // looks on the way, contracts, and what verdicts are worded with
		"fingerprint/interim",
		"ingest/internal/mapping",
		"ingest/internal/rule",
		"ingest/internal/transcript",
		"internal/dataset",
		"internal/labels",
		"internal/monitor",
		"internal/proposal",
		"oracle/contract",
		"prices",
		"relation",
		"runner/endpoint",
		"sprt/baseline",
		"sprt/spending",
		"verdict/internal/mark",
		"verdict/internal/rejudged",
		"verdict/internal/sample",
		"verdict/variation",
	},
	{ // models and the way to them, and points
		"oracle/score",
		"runner/model",
		"wire",
	},
	{ // models that judge, and what stands on the wire
		"oracle/modeljudge",
		"wire/cassette",
		"wire/fault",
		"wire/guard",
		"wire/mcp",
		"wire/script",
	},
	{ // what is changed of an agent
		"mutation",
	},
	{ // and on the wire
		"wire/rewrite",
	},
	{ // evidence and a rule, and what reads evidence of others
		"ingest/internal/format/agents",
		"ingest/internal/format/benchmarks",
		"ingest/internal/format/chat",
		"ingest/internal/format/frameworks",
		"ingest/internal/format/otlp",
		"ingest/internal/format/plain",
		"ingest/internal/format/testreports",
		"suite",
		"verdict",
	},
	{ // what several judges need
		"internal/conversion",
		"internal/looks",
		"internal/suggest",
		"verdict/design",
		"verdict/internal/recheck",
		"verdict/recording",
	},
	{ // how many trials something takes, scenarios of trials, and what databases count of them
		"internal/pipeline",
		"internal/promotion",
		"internal/warehouse/rows",
		"verdict/plan",
		"verdict/sampled",
	},
	{ // judges of one thing each, and what compares results with trials
		"verdict/behaviour",
		"verdict/compliance",
		"verdict/history",
		"verdict/improvement",
		"verdict/internal/follow",
		"verdict/runs",
		"verdict/sequential",
	},
	{ // a judge that takes in what others found
		"verdict/compare",
		"verdict/mutants",
		"verdict/race",
		"verdict/named",
		"verdict/rank",
		"verdict/relations",
	},
	{ // what decides over any of them
		"verdict/gate",
		"verdict/proxy",
	},
	{ // all results, read and judged again
		"verdict/verify",
	},
	{ // where trials come from, and drawings
		"ingest",
		"internal/chart",
		"report/internal/document",
		"report/internal/safe",
		"tribunaltest",
	},
	{ // numbers in reports
		"report/internal/figure",
	},
	{ // the scale of drawings
		"report/internal/scale",
	},
	{ // the page
		"report/internal/html",
	},
	{ // where trials are made, where they are kept, and a database that counts them
		"internal/warehouse/postgres",
		"runner",
		"store",
	},
	{ // what comes of a result, what the commands do, and trials on other machines
		"fleet",
		"internal/app",
		"repeat",
		"report",
		"report/site",
	},
	{ // a loop that makes attempts and tests them
		"ratchet",
	},
	{ // other doors to the commands
		"internal/mcpserver",
		"internal/web",
	},
	{ // what commands have in common, from errors to results
		"internal/cli/clitest",
		"internal/cli/problem",
		"internal/cli/forged",
		"internal/cli/program",
		"internal/cli/seams",
		"internal/cli/transcripts/gate",
		"internal/cli/transcripts/improve",
		"internal/cli/transcripts/plan",
		"internal/cli/transcripts/recorded",
		"internal/cli/transcripts/report",
		"internal/cli/transcripts/run",
		"internal/cli/transcripts/store",
		"internal/cli/transcripts/suite",
		"internal/cli/transcripts/verdict",
		"internal/cli/transcripts/wire",
	},
	{
		"internal/cli/flagtype",
		"internal/cli/session",
	},
	{
		"internal/cli/outfile",
	},
	{ // what every command stands on
		"internal/cli/base",
	},
	{
		"internal/cli/keeping",
		"internal/cli/listen",
		"internal/cli/suitefile",
	},
	{
		"internal/cli/evidence",
	},
	{
		"internal/cli/deliver",
		"internal/cli/judging",
	},
	{ // the commands, which their names end in
		"internal/cli/importcmd",
		"internal/cli/inspectcmd",
		"internal/cli/judgecmd",
		"internal/cli/monitorcmd",
		"internal/cli/plancmd",
		"internal/cli/verdictcmd",
		"internal/cli/wirecmd",
	},
	{ // commands that run agents
		"internal/cli/runcmd",
	},
	{ // commands that have agents run
		"internal/cli/improvecmd",
		"internal/cli/mutatecmd",
		"internal/cli/reportcmd",
		"internal/cli/storecmd",
		"internal/cli/suitecmd",
	},
	{ // what measures the rest, from the pages to the two commands' work
		"bench",
	},
	{
		"bench/detection",
		"bench/simulation",
	},
	{
		"bench/calibration",
		"bench/faults",
		"bench/paper",
		"bench/savings",
		"internal/cli",
	},
	{ // what measures the commands themselves
		"bench/growth",
	},
	{
		"bench/cmd/tribunal-calibrate",
		"cmd/tribunal",
		"cmd/tribunal-fleet",
	},
	{ // programs of their own: nothing imports them
		"examples/support-agent/simulate",
		"examples/ticket-routing/agent",
	},
}

const gonumFloor = 5 // the highest that may use it, from 0

// reserved are libraries that few packages alone may import. A name, of a library or of
// a package, stands for the packages below it too.
var reserved = []struct {
	libraries []string
	only      []string
}{
	{[]string{"github.com/olekukonko/tablewriter"}, []string{"internal/table"}},
	{[]string{"go.opentelemetry.io/proto", "google.golang.org/protobuf"}, []string{"internal/otlphttp"}},
	{[]string{"gonum.org/v1/plot"}, []string{"internal/chart"}},
	{[]string{"modernc.org/sqlite"}, []string{"store"}},
	{[]string{"github.com/jackc/pgx"}, []string{"internal/warehouse/postgres", "store"}},
	{[]string{"github.com/nats-io"}, []string{"fleet"}},
	{[]string{"github.com/santhosh-tekuri/jsonschema"}, []string{"internal/jsonschema"}},
	{[]string{"github.com/modelcontextprotocol/go-sdk"}, []string{"internal/mcpserver"}},
	{[]string{"github.com/spf13/cobra", "github.com/spf13/pflag"}, []string{"internal/cli"}},
	{[]string{module + "/bench"}, []string{
		"bench/calibration",
		"bench/faults", "bench/detection", "bench/growth", "bench/paper", "bench/savings", "bench/simulation",
		"bench/cmd/tribunal-calibrate",
	}},
	{[]string{module + "/internal/refdata"}, []string{"internal/cli/clitest", "verdict/internal/sample"}},
	{[]string{"testing"}, []string{
		"internal/built", "internal/cli/clitest", "internal/refdata", "tribunaltest", "verdict/internal/sample",
	}},
}

// kept are packages that must not be reached from others, however many imports lie
// between: what is measured is one program, and what measures it another.
var kept = []struct{ out, of string }{
	{"bench", "cmd/tribunal"},
	{"fleet", "cmd/tribunal"},
}

// closed are packages that import nothing of other modules but this.
var closed = map[string]string{
	"trial": "github.com/go-json-experiment/json",
	"stats": "gonum.org/v1/gonum",

	"internal/special":     "gonum.org/v1/gonum",
	"stats/controlvariate": "gonum.org/v1/gonum",
	"stats/agreement":      "gonum.org/v1/gonum",
	"stats/dist":           "gonum.org/v1/gonum",
	"stats/multiplicity":   "gonum.org/v1/gonum",
	"stats/sample":         "gonum.org/v1/gonum",
	"stats/threshold":      "gonum.org/v1/gonum",
	"stats/twophase":       "gonum.org/v1/gonum",
}

// Package testreports reads the reports of test frameworks: JUnit, NUnit, xUnit.net and Visual
// Studio XML, Robot Framework, go test -json, TAP, pytest-json-report, CTRF, and the JSON of Jest, Vitest, Mocha,
// Playwright Test, Cucumber, GoogleTest and Ginkgo.
//
// xml_report.go walks through XML; junit.go, nunit.go, xunit.go, trx.go and robot.go each know the elements
// of one format, and junit_case.go reads a testcase. gotest.go follows tests and gotest_package.go ends
// packages; tap.go nests tests, tap_test_line.go reads the line of one, and tap_note.go what follows
// it. ctrf.go, pytest_json.go, jest.go, mocha.go and playwright.go read one JSON document. What
// they have in common: attributes.go is what users attach to a test under the names of a trial's fields,
// test_name.go the scenario and the number in the name of a test, outcome.go a test on its way to a trial, and
// numbers.go durations and times.
//
// A test is a scenario and each run of it a trial. The rules are the same for all: a test that
// was skipped, or is to be written, is no trial; a failure is a fail, also by a timeout; an error around the
// test is one of the infrastructure; and every attempt at a test counts: the last one alone would
// flatter. None of these reports knows the steps of an agent, so that they are unknown.
package testreports

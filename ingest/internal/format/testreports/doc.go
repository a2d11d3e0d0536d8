// Package testreports reads the reports of test frameworks: JUnit XML, go test -json,
// pytest-json-report, CTRF.
//
// junit.go walks through the XML and junit_case.go reads a testcase; gotest.go follows tests
// and gotest_package.go ends packages; ctrf.go and pytest_json.go read one JSON document.
// attributes.go is for all: what users attach to a test under the names of a trial's fields.
//
// A test is a scenario and each run of it a trial. The rules are the same for all four: a
// test that was skipped is no trial, a failure is a fail, an error around the test is one of
// the infrastructure, and every attempt at a test counts: the last one alone would flatter.
// None of these reports knows the steps of an agent, so that they are unknown.
package testreports

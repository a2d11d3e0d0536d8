// Package testreports reads the reports of test frameworks: JUnit XML, go test -json,
// pytest-json-report, CTRF.
package testreports

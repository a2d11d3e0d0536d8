package ingest_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
)

func Example() {
	report := `<testsuite name="evals">
  <testcase classname="booking" name="refund[trial0]" time="2.1"/>
  <testcase classname="booking" name="refund[trial1]"><failure message="no refund"/></testcase>
  <testcase classname="booking" name="seat"><skipped/></testcase>
</testsuite>`
	stream := ingest.NewStream(strings.NewReader(report), ingest.Options{Options: trial.Options{File: "evals.xml"}})
	for t, err := range stream.Trials(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(t.Scenario, t.Index.Value, t.Outcome, t.DurationSeconds)
	}
	for _, notes := range stream.Notes() {
		fmt.Println(notes)
	}
	// Output:
	// booking.refund 0 pass {2.1 true}
	// booking.refund 1 fail {0 false}
	// evals.xml: 2 trials (junit); left out: skipped tests (1)
}

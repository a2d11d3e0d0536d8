package testreports

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// trx is a file of test results of Visual Studio that is being read, as dotnet test --logger trx
// writes it.
//
//	<TestRun><Results><UnitTestResult testId="1" testName="Refund" duration="00:00:01.5" outcome="Failed"
//	  startTime="2026-02-26T09:25:37Z"><Output><ErrorInfo><Message>...</Message></ErrorInfo></Output></UnitTestResult>
//	</Results><TestDefinitions><UnitTest id="1"><TestMethod className="Evals.Booking" name="Refund"/></UnitTest>
//
// The class of a test stands after all results, which are held until then.
type trx struct {
	*xmlReport
	results []trxResult
	classes map[string]string // by the id of the test
}

// trxResult is a result that waits for the class of its test.
type trxResult struct {
	report
	id string
}

// TRX decodes the test results of Visual Studio.
var TRX = record.Decoder{Read: readTRX, Empty: "holds no result of a test", Hint: "did the tests run?"}

// readTRX makes a trial of every result. Those of a test with data are inside of it: each row is
// a trial, and the test as a whole is none.
func readTRX(in *record.Input) error {
	r := &trx{xmlReport: newXMLReport(in), classes: map[string]string{}}
	if _, err := r.root("TRX", "TestRun"); err != nil {
		return err
	}
	err := r.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "Results":
			_, err := r.list()
			return err
		case "TestDefinitions":
			return r.definitions()
		case "ResultSummary":
			return r.summary()
		}
		_, err := r.text()
		return err
	})
	if err != nil {
		return err
	}
	for _, t := range r.results {
		// Adapters of other frameworks write the whole name, and some a sentence.
		if class := r.classes[t.id]; class != "" && !strings.HasPrefix(t.name, class) {
			t.name = record.Shared(class + "." + t.name)
		}
		if err := t.handOut(in); err != nil {
			return err
		}
	}
	return r.rest()
}

// list reads a list of results, and returns how many there are in it.
func (r *trx) list() (count int, err error) {
	err = r.children(func(e xml.StartElement) error {
		count++
		return r.result(e)
	})
	return count, err
}

// result reads a result, and keeps it or those inside of it.
func (r *trx) result(e xml.StartElement) error {
	t := trxResult{id: attr(e, "testId"), report: report{
		name: record.Shared(attr(e, "testName")), line: r.place().Line, seconds: spanOf(attr(e, "duration")),
		started: stamp(attr(e, "startTime")),
	}}
	inner, message := 0, ""
	err := r.children(func(e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "InnerResults":
			inner, err = r.list()
			return err
		case "Output":
			message, err = r.output()
			return err
		}
		_, err = r.text()
		return err
	})
	if err != nil || inner > 0 {
		return err
	}
	if t.name == "" {
		r.in.Notes.Skip(record.NamelessTest)
		return nil
	}
	if !trxOutcome(&t.report, attr(e, "outcome"), message) {
		r.in.Notes.Skip(otherOutcome)
		return nil
	}
	r.results = append(r.results, t)
	// A result takes as much as its file does, at most, so that the limit of what is held whole is that
	// of the results.
	if held := r.xml.InputOffset(); held > int64(r.in.Options.MaxDocumentBytes) {
		return &trial.FileError{
			File: r.in.File, Problem: "is longer than " + prose.ByteCount(r.in.Options.MaxDocumentBytes) +
				", and the results of this format are held whole",
			Advice: "raise the limit with MaxDocumentBytes if there is the memory", About: "MaxDocumentBytes",
		}
	}
	return nil
}

// trxOutcome sets what the word of the format says, and reports whether it tells anything.
// A test that takes too long fails, as everywhere here. Aborted, disconnected and the like are no
// doing of the test, and one that is not runnable could not be started; one that is inconclusive began
// and reached no verdict. Completed, warning and no word at all tell nothing.
func trxOutcome(t *report, word, message string) bool {
	switch kind := strings.ToLower(word); kind {
	case "passed", "passedbutrunaborted":
		t.outcome = trial.Pass
	case "failed":
		t.outcome, t.cause = trial.Fail, failure("", message)
	case "timeout":
		t.outcome, t.cause = trial.Fail, failure(kind, message)
	case "error", "aborted", "disconnected", "inprogress", "notrunnable":
		t.outcome, t.cause = trial.Error, broken(kind, message)
	case "inconclusive":
		t.outcome, t.cause = trial.Error, record.NewCause(kind, plainMessage(message))
	case "notexecuted", "pending":
		t.omission = record.SkippedTest
	default:
		return false
	}
	return true
}

// output reads what a test wrote, and returns the message of its error.
func (r *trx) output() (message string, err error) {
	err = r.children(func(e xml.StartElement) (err error) {
		if e.Name.Local == "ErrorInfo" {
			message, err = r.message()
			return err
		}
		_, err = r.text()
		return err
	})
	return message, err
}

// definitions reads which class each test is of. Some writers add the assembly to the name.
func (r *trx) definitions() error {
	return r.children(func(e xml.StartElement) error {
		id := attr(e, "id")
		return r.children(func(e xml.StartElement) error {
			if e.Name.Local == "TestMethod" && id != "" {
				class, _, _ := strings.Cut(attr(e, "className"), ",")
				r.classes[id] = record.Shared(class)
			}
			_, err := r.text()
			return err
		})
	})
}

// summary reads what the run as a whole says of itself: that the program that ran the tests
// crashed, for one, is an error of none of them. Errors that only say that tests failed are left.
func (r *trx) summary() error {
	return r.children(func(e xml.StartElement) error {
		if e.Name.Local != "RunInfos" {
			_, err := r.text()
			return err
		}
		return r.children(func(e xml.StartElement) error {
			texts := []string{}
			err := r.children(func(xml.StartElement) error {
				text, err := r.text()
				texts = append(texts, strings.TrimSpace(text))
				return err
			})
			aborted := slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "abort") })
			if aborted && strings.EqualFold(attr(e, "outcome"), "error") {
				r.in.Notes.Remark(fmt.Sprintf("the run says of itself: %s", prose.Excerpt(strings.Join(texts, " "))))
			}
			return err
		})
	})
}

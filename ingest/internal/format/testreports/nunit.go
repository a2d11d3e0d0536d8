package testreports

import (
	"encoding/xml"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// nunit is a file of NUnit that is being read.
//
//	<test-run id="2"><test-suite type="TestFixture" name="Booking"><test-case fullname="Evals.Booking.Refund"
//	  result="Failed" label="Error" start-time="2026-02-26 09:25:37Z" duration="1.5"><failure>...
//
// is what NUnit 3 writes, and Unity; NUnit 2.5 and Pester, which others imitate,
//
//	<test-results name="x"><test-suite name="Booking"><results><test-case name="Evals.Booking.Refund"
//	  executed="True" result="Failure" success="False" time="1.5"><failure><message>...
//
// Some tools write a suite alone.
type nunit struct{ *xmlReport }

// NUnit decodes NUnit 3 and NUnit 2 XML.
var NUnit = record.Decoder{Read: readNUnit, Empty: "holds no test-case", Hint: "did the tests run?"}

// readNUnit makes a trial of every test-case. One that failed is a fail, also by an exception; one whose
// surroundings failed, or that is no valid test, is an error of the infrastructure, and so is what
// NUnit 2 calls an error; one that was inconclusive began and reached no verdict.
func readNUnit(in *record.Input) error {
	r := nunit{newXMLReport(in)}
	if _, err := r.root("NUnit XML", "test-run", "test-results", "test-suite"); err != nil {
		return err
	}
	if err := r.suite(nil); err != nil {
		return err
	}
	return r.rest()
}

// suite reads what stands in a suite, with the attributes of those around it.
func (r nunit) suite(attributes []attribute) error {
	return r.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "test-suite":
			return r.suite(inherited(attributes))
		case "results":
			return r.suite(attributes)
		case "properties":
			return r.properties(&attributes)
		case "test-case":
			return r.testCase(e, inherited(attributes))
		}
		_, err := r.text()
		return err
	})
}

// properties reads properties, but for those that NUnit keeps for itself: their names begin with
// an underscore, such as _PID.
func (r nunit) properties(attributes *[]attribute) error {
	list := (*attributes)[:len(*attributes):len(*attributes)] // a suite does not write into that around it
	err := r.children(func(e xml.StartElement) error {
		a, err := r.property(e)
		if !strings.HasPrefix(a.name, "_") {
			list = append(list, a)
		}
		return err
	})
	*attributes = list
	return err
}

// testCase hands out the trial of a test-case.
func (r nunit) testCase(e xml.StartElement, attributes []attribute) error {
	t := report{name: attr(e, "fullname"), line: r.place().Line, seconds: secondsOf(attr(e, "duration"))}
	if t.name == "" {
		t.name = attr(e, "name")
	}
	if !t.seconds.Known {
		t.seconds = secondsOf(attr(e, "time"))
	}
	t.name = record.Shared(t.name)
	message, fell := "", false
	err := r.children(func(e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "properties":
			return r.properties(&attributes)
		case "failure", "reason":
			fell = fell || e.Name.Local == "failure"
			message, err = r.message()
			return err
		}
		_, err = r.text()
		return err
	})
	if err != nil {
		return err
	}
	if t.name == "" {
		r.in.Notes.Skip(record.NamelessTest)
		return nil
	}
	nunitOutcome(&t, e, message, fell)
	if t.omission != "" {
		r.in.Notes.Pass(t.omission)
		return nil
	}
	x := t.trial(r.in)
	x.StartedAt = stamp(attr(e, "start-time"))
	if err := annotate(x, attributes); err != nil {
		return err
	}
	return r.in.Emit(x, true)
}

// nunitOutcome sets what a test-case says of the test; fell is whether it has a failure. NUnit 2.4 has
// no result, but executed and success; some writers join the label to the result, as in Failed:Error or
// Failed(Child).
func nunitOutcome(t *report, e xml.StartElement, message string, fell bool) {
	result, label, _ := strings.Cut(strings.NewReplacer("(", ":", ")", "").Replace(attr(e, "result")), ":")
	if l := attr(e, "label"); l != "" {
		label = l
	}
	result, label = strings.ToLower(result), strings.ToLower(label)
	if result == "" {
		switch {
		case strings.EqualFold(attr(e, "executed"), "false"):
			result = "skipped"
		case fell || strings.EqualFold(attr(e, "success"), "false"):
			result = "failed"
		default:
			result = "passed"
		}
	}
	switch result {
	case "passed", "success", "warning":
		t.outcome = trial.Pass
	case "skipped", "ignored":
		t.omission = record.SkippedTest
	case "inconclusive":
		t.outcome, t.cause = trial.Error, record.NewCause(result, plainMessage(message))
	case "error", "notrunnable", "cancelled":
		t.outcome, t.cause = trial.Error, broken(result, message)
	case "failed", "failure":
		switch site := strings.ToLower(attr(e, "site")); {
		case site == "setup" || site == "teardown" || site == "parent":
			t.outcome, t.cause = trial.Error, broken(site, message)
		case label == "invalid" || label == "cancelled":
			t.outcome, t.cause = trial.Error, broken(label, message)
		default:
			t.outcome, t.cause = trial.Fail, failure(label, message)
		}
	default:
		t.omission = otherOutcome
	}
}

// message reads an element to its end, and returns the text of the message in it.
func (r *xmlReport) message() (message string, err error) {
	err = r.children(func(e xml.StartElement) error {
		text, err := r.text()
		if e.Name.Local == "message" || e.Name.Local == "Message" {
			message = text
		}
		return err
	})
	return message, err
}

// stamp is a time as a trial has it, "" if it is none.
func stamp(text string) trial.Timestamp {
	return stampOf(timeOf(text))
}

package testreports

import (
	"encoding/xml"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// xunit is a file of xUnit.net that is being read.
//
//	<assemblies><assembly name="Evals.dll"><collection name="Booking"><test name="Evals.Booking.Refund(order: 1)"
//	  type="Evals.Booking" method="Refund" time="1.5" result="Fail"><failure exception-type="Xunit.Sdk.EqualException">
//	  <message>...</message></failure><traits><trait name="cost_usd" value="0.02"/></traits></test></collection>
//
// Version 1 has one assembly as the root, and classes in place of collections.
type xunit struct{ *xmlReport }

// XUnit decodes xUnit.net XML.
var XUnit = record.Decoder{Read: readXUnit, Empty: "holds no test", Hint: "did the tests run?"}

// readXUnit makes a trial of every test. Skipped tests, and those that were not to run, are none.
func readXUnit(in *record.Input) error {
	r := xunit{newXMLReport(in)}
	if _, err := r.root("xUnit.net XML", "assemblies", "assembly"); err != nil {
		return err
	}
	if err := r.group(); err != nil {
		return err
	}
	return r.rest()
}

// group reads an assembly, a collection or a class.
// An error outside of the tests, such as of the cleaning up of a collection, is none of theirs.
func (r xunit) group() error {
	return r.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "assembly", "collection", "class":
			return r.group()
		case "test":
			return r.test(e)
		case "errors":
			return r.children(func(xml.StartElement) error {
				r.in.Notes.Skip("errors outside of the tests")
				_, err := r.text()
				return err
			})
		}
		_, err := r.text()
		return err
	})
}

// test hands out the trial of a test.
func (r xunit) test(e xml.StartElement) error {
	t := report{
		name: attr(e, "name"), line: r.place().Line, seconds: secondsOf(attr(e, "time")),
		started: stamp(attr(e, "start-rtf")),
	}
	// The name is what is shown, which a setting may shorten to that of the method.
	if class := attr(e, "type"); class != "" && t.name != "" && t.name == attr(e, "method") {
		t.name = class + "." + t.name
	}
	t.name = record.Shared(t.name)
	var attributes []attribute
	kind, message := "", ""
	err := r.children(func(e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "failure":
			kind = attr(e, "exception-type")
			message, err = r.message()
			return err
		case "traits":
			return r.children(func(e xml.StartElement) error {
				a, err := r.property(e)
				attributes = append(attributes, a)
				return err
			})
		}
		_, err = r.text()
		return err
	})
	if err != nil {
		return err
	}
	switch result := strings.ToLower(attr(e, "result")); {
	case t.name == "":
		r.in.Notes.Skip(record.NamelessTest)
		return nil
	case result == "pass":
		t.outcome = trial.Pass
	case result == "fail":
		t.outcome, t.cause = trial.Fail, failure(kind, message)
	case result == "skip" || result == "notrun":
		r.in.Notes.Pass(record.SkippedTest)
		return nil
	default:
		r.in.Notes.Skip(otherOutcome)
		return nil
	}
	x := t.trial(r.in)
	if err := annotate(x, attributes); err != nil {
		return err
	}
	return r.in.Emit(x, true)
}

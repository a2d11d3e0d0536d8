// Package otlphttp receives traces as OpenTelemetry exporters send them, by OTLP over HTTP, in protobuf or JSON, and
// puts each together from its parts, which come in several requests and any order.
//
//	r := otlphttp.New(otlphttp.Options{})
//	http.Handle("/v1/traces", r)
//	for _, t := range r.Whole(time.Now()) {
//		read(t.ID, t.Text) // lines of OTLP JSON
//	}
package otlphttp

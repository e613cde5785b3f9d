// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"fmt"
	"net/url"
)

// Settings name the destination of spans.
type Settings struct {
	Endpoint string // URL of a collector that accepts OTLP over gRPC; "": nothing is traced
}

// Check returns an error for an Endpoint that is not a URL of a collector.
func (s *Settings) Check() error {
	if s.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(s.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.User != nil {
		return fmt.Errorf("--otlp-endpoint %s: want the URL of a collector, such as http://192.0.2.9:4317 or https://collector.example:4317", s.Endpoint)
	}
	return nil
}

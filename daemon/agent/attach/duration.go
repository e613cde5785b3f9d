// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Outcomes of an attachment, as a label of its duration.
const (
	succeeded = "success"
	failed    = "error"
)

// newDuration returns the histogram of the durations of attachments.
func newDuration() *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "contiv_agent_attach_duration_seconds", Help: "time to attach a container, from the request of the plugin until its flows are in the switch",
		Buckets: []float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30},
	}, []string{"outcome"})
	for _, outcome := range []string{succeeded, failed} {
		h.WithLabelValues(outcome) // so that a rate is known from the first attachment on
	}
	return h
}

// observe counts an attachment.
func (e *Engine) observe(d time.Duration, err error) {
	outcome := succeeded
	if err != nil {
		outcome = failed
	}
	e.duration.WithLabelValues(outcome).Observe(d.Seconds())
}

// Durations returns the histogram of the durations of attachments.
func (e *Engine) Durations() prometheus.Collector { return e.duration }

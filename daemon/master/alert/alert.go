// SPDX-License-Identifier: Apache-2.0

// Package alert sends findings as alerts to Alertmanagers.
package alert

import (
	"strings"
	"time"

	prometheus "github.com/prometheus/common/model"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/timeline"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/sanitize"
)

// Labels of alerts.
const (
	labelCode     = "code"
	labelSeverity = "severity"
	labelObject   = "object"
	labelHost     = "host"
)

// annotationSize bounds an annotation, in bytes.
const annotationSize = 1000

// ownLabels are the names of labels that settings do not set.
func ownLabels() []prometheus.LabelName {
	return []prometheus.LabelName{prometheus.AlertNameLabel, labelCode, labelSeverity, labelObject, labelHost}
}

// nameOf returns the name of the alert about a finding: ContivTunnelLoss for tunnel-loss.
func nameOf(code string) string {
	var out strings.Builder
	_, _ = out.WriteString("Contiv")
	for word := range strings.SplitSeq(code, "-") {
		if word != "" {
			_, _ = out.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return out.String()
}

// severityOf returns the severity of an alert, as in deploy/monitoring/alerts.yaml.
func severityOf(s string) string {
	if s == string(model.SeverityError) {
		return "critical"
	}
	return s
}

// labels returns the labels of the alert with a record, which identify it, and more.
func labels(a *record.Alert, more prometheus.LabelSet) prometheus.LabelSet {
	out := more.Clone()
	for name, value := range map[prometheus.LabelName]string{prometheus.AlertNameLabel: nameOf(a.Code), labelCode: a.Code, labelSeverity: severityOf(a.Severity), labelObject: a.Object, labelHost: a.Host} {
		if value != "" {
			out[name] = prometheus.LabelValue(value)
		}
	}
	return out
}

// annotations returns the annotations of an alert about a finding that has not ended; f is nil if no daemon reports it now.
func annotations(is *timeline.Opened, f *model.Finding) prometheus.LabelSet {
	out := prometheus.LabelSet{}
	set := func(name prometheus.LabelName, value string) {
		if value != "" {
			out[name] = prometheus.LabelValue(sanitize.Line(value, annotationSize))
		}
	}
	if f == nil {
		info, _ := is.Code.Info()
		f = &model.Finding{Evidence: is.Evidence, Remedy: info.Remedy}
	}
	set("summary", f.Evidence)
	set("description", f.Remedy)
	set("command", f.Next)
	if f.CausedBy != nil {
		set("cause", f.CausedBy.String())
	}
	return out
}

// ended returns the annotations of an alert whose finding has ended, or is acknowledged.
func ended(by *record.Acknowledgement) prometheus.LabelSet {
	if by == nil {
		return prometheus.LabelSet{"summary": "the finding has ended"}
	}
	a := model.Acknowledgement{Reason: by.Reason, By: by.By, Until: by.Until}
	return prometheus.LabelSet{"summary": prometheus.LabelValue(sanitize.Line(a.Text(), annotationSize))}
}

// later returns the later one of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
)

// prometheus is the format of a verdict in the text format of Prometheus, for the textfile collector of node_exporter.
const prometheus = "prometheus"

// gauge is a metric with its samples.
type gauge struct {
	name, help string
	samples    []string // labels in braces, if any, a space and the value
}

// add adds a sample. pairs are labels, each a name and a value.
func (g *gauge) add(value float64, pairs ...string) {
	escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
	var labels []string
	for i := 0; i+1 < len(pairs); i += 2 {
		labels = append(labels, pairs[i]+`="`+escape.Replace(pairs[i+1])+`"`)
	}
	text := ""
	if len(labels) > 0 {
		text = "{" + strings.Join(labels, ",") + "}"
	}
	g.samples = append(g.samples, text+" "+strconv.FormatFloat(value, 'f', -1, 64))
}

// writeExposition prints a verdict as metrics. Their names are those of docs/reference/metrics.md.
func writeExposition(w io.Writer, h *model.Health) error {
	status := &gauge{name: "contiv_status", help: "Worst finding: 0 for none or only notes, 1 for a warning or an unknown state, 2 for an error; the exit code of netctl status."}
	at := &gauge{name: "contiv_status_timestamp_seconds", help: "Time of the verdict by the netmaster's clock, in seconds since 1970."}
	finding := &gauge{name: "contiv_finding", help: "1 for each finding that netctl status lists; caused_by is the code of the finding that explains it."}
	since := &gauge{name: "contiv_finding_start_timestamp_seconds", help: "Time at which a finding began, in seconds since 1970."}
	hosts := &gauge{name: "contiv_hosts", help: "Hosts of the cluster."}
	masters := &gauge{name: "contiv_netmasters", help: "Netmasters of the cluster."}
	endpoints := &gauge{name: "contiv_endpoints", help: "Endpoints of the cluster."}

	status.add(float64(exitCode(h)))
	addTime(at, h.At)
	hosts.add(float64(h.Hosts))
	masters.add(float64(h.Masters))
	endpoints.add(float64(h.Endpoints))
	seen := map[model.FindingRef]bool{}
	for i := range h.Findings {
		f := &h.Findings[i]
		if seen[f.Ref()] {
			continue
		}
		seen[f.Ref()] = true
		cause := ""
		if f.CausedBy != nil {
			cause = f.CausedBy.Code.String()
		}
		finding.add(1, "code", f.Code.String(), "severity", string(f.Severity), "object", f.Object, "host", f.Host, "caused_by", cause, "acknowledged", strconv.FormatBool(f.Acknowledged != nil))
		addTime(since, f.Since, "code", f.Code.String(), "object", f.Object, "host", f.Host)
	}
	var out strings.Builder
	for _, g := range []*gauge{status, at, finding, since, hosts, masters, endpoints} {
		fmt.Fprintf(&out, "# HELP %s %s\n# TYPE %s gauge\n", g.name, g.help, g.name)
		for _, s := range g.samples {
			fmt.Fprintf(&out, "%s%s\n", g.name, s)
		}
	}
	return printf(w, "%s", out.String())
}

// addTime adds a sample with a time, RFC 3339, unless that is missing.
func addTime(g *gauge, text string, pairs ...string) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		g.add(float64(at.Unix()), pairs...)
	}
}

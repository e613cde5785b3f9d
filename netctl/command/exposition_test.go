// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	prom "github.com/prometheus/common/model"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/metricstest"
)

// parsed reads metrics as Prometheus does.
func parsed(t *testing.T, text string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(prom.LegacyValidation)
	out, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// series lists the samples of all metrics as "name{label=value} value", without empty labels.
func series(families map[string]*dto.MetricFamily) (out []string) {
	for name, family := range families {
		for _, m := range family.Metric {
			var labels []string
			for _, l := range m.Label {
				if l.GetValue() != "" {
					labels = append(labels, l.GetName()+"="+l.GetValue())
				}
			}
			out = append(out, fmt.Sprintf("%s{%s} %v", name, strings.Join(labels, ","), m.GetGauge().GetValue()))
		}
	}
	slices.Sort(out)
	return out
}

// The metrics of a verdict are those of Prometheus' parser, whatever the names of objects are, and each series is there once.
func TestExposition(t *testing.T) {
	ack := &model.Acknowledgement{Reason: "known"}
	h := &model.Health{At: "2030-01-02T03:04:05Z", Hosts: 2, Masters: 3, Endpoints: 40, Findings: []model.Finding{
		{Code: model.FindingVTEPMissing, Severity: model.SeverityError, Object: "host/h1", Host: "h1", Since: "2030-01-02T03:04:00Z"},
		{Code: model.FindingTunnelBlocked, Severity: model.SeverityError, Object: "host/h2", Host: "h1", CausedBy: &model.FindingRef{Code: model.FindingVTEPMissing, Object: "host/h1", Host: "h1"}},
		{Code: model.FindingServiceEmpty, Severity: model.SeverityWarning, Object: "service/a\\b\"c\nd", Acknowledged: ack},
		{Code: model.FindingServiceEmpty, Severity: model.SeverityWarning, Object: "service/a\\b\"c\nd"},
	}}
	var out bytes.Buffer
	if err := writeExposition(&out, h); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"contiv_endpoints{} 40",
		"contiv_finding_start_timestamp_seconds{code=vtep-missing,object=host/h1,host=h1} 1.89355344e+09",
		"contiv_finding{code=service-empty,severity=warning,object=service/a\\b\"c\nd,acknowledged=true} 1",
		"contiv_finding{code=tunnel-blocked,severity=error,object=host/h2,host=h1,caused_by=vtep-missing,acknowledged=false} 1",
		"contiv_finding{code=vtep-missing,severity=error,object=host/h1,host=h1,acknowledged=false} 1",
		"contiv_hosts{} 2", "contiv_netmasters{} 3", "contiv_status_timestamp_seconds{} 1.893553445e+09", "contiv_status{} 2",
	}
	if got := series(parsed(t, out.String())); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, row := range []struct {
		severity model.Severity
		want     string
	}{{model.SeverityInfo, "contiv_status 0\n"}, {model.SeverityWarning, "contiv_status 1\n"}, {model.SeverityUnknown, "contiv_status 1\n"}, {model.SeverityError, "contiv_status 2\n"}} {
		out.Reset()
		if err := writeExposition(&out, &model.Health{Findings: []model.Finding{{Code: model.FindingDrift, Severity: row.severity, Object: "host/h1"}}}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), row.want) {
			t.Errorf("%s: want %q, got\n%s", row.severity, row.want, &out)
		}
	}
}

// netctl status prints metrics; no other command has the format.
func TestStatus_Prometheus(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	for _, args := range []string{"network create vip -s 10.1.1.0/24", "service create shop --network vip --selector tier=front --port 80:8080:TCP"} {
		if got := netctl(t, context.Background(), m.URL, strings.Fields(args)...); got.code != 0 {
			t.Fatalf("%s: %+v", args, got)
		}
	}
	got := netctl(t, context.Background(), m.URL, "status", "-o", "prometheus")
	if all := series(parsed(t, got.out)); got.code != 1 || !slices.Contains(all, "contiv_status{} 1") ||
		!slices.Contains(all, "contiv_finding{code=service-empty,severity=warning,object=service/default:shop,acknowledged=false} 1") {
		t.Errorf("got %d\n%s", got.code, strings.Join(all, "\n"))
	}
	if got := netctl(t, context.Background(), m.URL, "doctor", "-o", "prometheus"); got.code != 1 || !strings.Contains(got.err, "want table, wide, json") {
		t.Errorf("doctor: got %+v", got)
	}
}

// The page of metrics has those of netctl.
func TestMetricsPage(t *testing.T) {
	var out bytes.Buffer
	if err := writeExposition(&out, &model.Health{At: "2030-01-02T03:04:05Z", Findings: []model.Finding{{Code: model.FindingDrift, Object: "host/h1", Since: "2030-01-02T03:04:05Z"}}}); err != nil {
		t.Fatal(err)
	}
	var metrics []metricstest.Metric
	for name, family := range parsed(t, out.String()) {
		one := metricstest.Metric{Name: name, Type: strings.ToLower(family.GetType().String()), Help: family.GetHelp()}
		for _, l := range family.Metric[0].Label {
			one.Labels = append(one.Labels, "`"+l.GetName()+"`")
		}
		metrics = append(metrics, one)
	}
	slices.SortFunc(metrics, func(a, b metricstest.Metric) int { return strings.Compare(a.Name, b.Name) })
	metricstest.Page(t, "../../docs/reference/metrics.md", "netctl", metrics, *update)
}

// SPDX-License-Identifier: Apache-2.0

// Package monitoring checks deploy/monitoring with the parsers of Prometheus. It is a module of its own, because these have many dependencies.
package monitoring

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

const root = "../../"

// metric is a row of docs/reference/metrics.md, which tests hold equal to the declared metrics.
type metric struct {
	kind   string
	labels map[string]struct{}
}

// declared reads the page of metrics.
func declared(t *testing.T) map[string]metric {
	t.Helper()
	page, err := os.ReadFile(root + "docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]metric{}
	row, word := regexp.MustCompile("^\\| `([a-z_]+)` \\| (\\w+) \\| ([^|]*) \\|"), regexp.MustCompile("`(\\w+)`")
	for line := range strings.Lines(string(page)) {
		if m := row.FindStringSubmatch(line); m != nil {
			one := metric{m[2], map[string]struct{}{}}
			for _, l := range word.FindAllStringSubmatch(m[3], -1) {
				one.labels[l[1]] = struct{}{}
			}
			out[m[1]] = one
		}
	}
	if len(out) < 60 {
		t.Fatalf("metrics of the page: got %d, want at least 60", len(out))
	}
	return out
}

// ofPrometheus are metrics that Prometheus itself or its client library makes.
var ofPrometheus = regexp.MustCompile(`^(up|process_.*|go_.*)$`)

// check parses an expression, and reports metrics and labels that no daemon declares.
func check(t *testing.T, where, expression string, known map[string]metric) {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
		s, ok := n.(*parser.VectorSelector)
		if !ok || ofPrometheus.MatchString(s.Name) {
			return nil
		}
		m, ok := known[s.Name]
		for _, part := range []string{"_bucket", "_count", "_sum"} {
			if name, is := strings.CutSuffix(s.Name, part); is && !ok {
				m, ok = known[name]
				ok = ok && m.kind == "histogram"
			}
		}
		if !ok {
			t.Errorf("%s: no daemon declares the metric %s", where, s.Name)
			return nil
		}
		for _, l := range s.LabelMatchers {
			if _, has := m.labels[l.Name]; !has && l.Name != "__name__" && l.Name != "job" && l.Name != "instance" {
				t.Errorf("%s: metric %s has no label %s", where, s.Name, l.Name)
			}
		}
		return nil
	})
}

func TestAlerts(t *testing.T) {
	groups, errs := rulefmt.ParseFile(root+"deploy/monitoring/alerts.yaml", false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	for _, err := range errs {
		t.Error(err)
	}
	if len(errs) > 0 {
		return
	}
	known, names := declared(t), map[string]struct{}{}
	page, err := os.ReadFile(root + "docs/how-to/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			check(t, r.Alert, r.Expr, known)
			if r.Labels["severity"] != "critical" && r.Labels["severity"] != "warning" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("%s: want a severity, a summary and a description", r.Alert)
			}
			if file := r.Annotations["runbook_url"]; file != "" {
				if _, err := os.Stat(root + file); err != nil {
					t.Errorf("%s: %v", r.Alert, err)
				}
			}
			if !strings.Contains(string(page), "| `"+r.Alert+"` |") {
				t.Errorf("docs/how-to/monitoring.md has no row for %s", r.Alert)
			}
			names[r.Alert] = struct{}{}
		}
	}
	if len(names) < 12 {
		t.Errorf("alerts: got %d, want at least 12", len(names))
	}
}

// dashboard is the part of a Grafana dashboard that has queries.
type dashboard struct {
	UID, Title string
	Panels     []struct {
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct{ Expr string }
	}
}

func TestDashboards(t *testing.T) {
	files, err := filepath.Glob(root + "deploy/monitoring/*.json")
	if err != nil || len(files) != 2 {
		t.Fatalf("dashboards: got %v, %v, want two", files, err)
	}
	known := declared(t)
	variables := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d dashboard
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if d.UID == "" || d.Title == "" || len(d.Panels) < 10 {
			t.Errorf("%s: got uid %q, title %q and %d panels", file, d.UID, d.Title, len(d.Panels))
		}
		for i, p := range d.Panels {
			if len(p.Targets) == 0 {
				t.Errorf("%s: panel %s has no query", file, p.Title)
			}
			for _, q := range p.Targets {
				check(t, file+": "+p.Title, variables.Replace(q.Expr), known)
			}
			for _, other := range d.Panels[:i] {
				a, b := p.GridPos, other.GridPos
				if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
					t.Errorf("%s: panels %s and %s overlap", file, p.Title, other.Title)
				}
			}
		}
	}
}

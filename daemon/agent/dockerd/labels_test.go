// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// The labels of a container that selectors of services use are reported, and others while there is space.
func TestConcise(t *testing.T) {
	long := strings.Repeat("x", maxLabels)
	for _, row := range []struct {
		name      string
		labels    map[string]string
		selectors []map[string]string
		want      []string
	}{
		{"none", nil, nil, nil},
		{"few", map[string]string{"b": "1", "a": "1"}, nil, []string{"a", "b"}},
		{"one too long", map[string]string{"a": long, "b": "1"}, nil, []string{"b"}},
		{"as many as fit", map[string]string{"a": long[:maxLabels/2], "b": long[:maxLabels/2], "c": "1"}, nil, []string{"a", "c"}},
		{"a selector's first", map[string]string{"a": long[:maxLabels/2], "b": long[:maxLabels/2]}, []map[string]string{{"b": long[:maxLabels/2]}}, []string{"b"}},
		{"a selector with another value", map[string]string{"a": long[:maxLabels/2], "b": long[:maxLabels/2]}, []map[string]string{{"b": "other"}}, []string{"a"}},
		{"exactly", map[string]string{"a": long[1:]}, nil, []string{"a"}},
	} {
		got := concise(row.labels, row.selectors)
		if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, row.want) {
			t.Errorf("%s: want %v, got %v", row.name, row.want, names)
		}
		for name, value := range got {
			if value != row.labels[name] {
				t.Errorf("%s: %s has another value", row.name, name)
			}
		}
	}
}

// After a service is created, the labels that its selector uses are reported.
func TestTellerKnowsSelectors(t *testing.T) {
	f, c := newFake(t), newCluster()
	w := f.watch()
	teller := NewEndpointSyncer(w, c, c, slog.New(slog.DiscardHandler))
	teller.debounce = time.Millisecond
	f.background(teller.Run)
	f.run("c1", "web", map[string]string{"a": strings.Repeat("x", maxLabels-5), "z": "web"}, "net")
	id := c.attach("default", "net", f.endpointOf("c1", "net"))
	until(t, "the labels that fit", func() bool { return c.endpoint(id).Labels["a"] != "" && c.endpoint(id).Labels["z"] != "" })
	f.change(containerEvent("rename", "c1"), func() { f.boxes["c1"].labels["a"] += "more" })
	until(t, "the first that fits", func() bool { return c.endpoint(id).Labels["a"] != "" && c.endpoint(id).Labels["z"] == "" })
	c.change(func() { c.selectors = []map[string]string{{"z": "web"}} })
	until(t, "the one that matters", func() bool { return c.endpoint(id).Labels["a"] == "" && c.endpoint(id).Labels["z"] == "web" })
}

package checkup

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet"
)

func TestDatapath(t *testing.T) {
	for _, row := range []struct {
		name  string
		lacks ofnet.Abilities
		want  string // in what is found; "": nothing is
	}{
		{"all", 0, ""},
		{"what flows do without", ofnet.NDExtensions, ""},
		{"connections", ofnet.Forgetting, "switch-lacks: Open vSwitch cannot forget single connections (ct_flush)"},
		{"marks", ofnet.NDExtensions | ofnet.Marks, "datapath-lacks: datapath system of Open vSwitch cannot do ct_mark: policies and services do not work"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := &Datapath{Host: "h1", Type: func() string { return "system" }, Lacks: func() ofnet.Abilities { return row.lacks }}
			got := d.Check().Look(t.Context())
			if row.want == "" {
				if len(got) > 0 {
					t.Errorf("want no finding, got %+v", got)
				}
				return
			}
			if len(got) != 1 || !strings.Contains(got[0].Code+": "+got[0].Evidence, row.want) {
				t.Errorf("want %s, got %+v", row.want, got)
			}
		})
	}
}

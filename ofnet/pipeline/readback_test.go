// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// TestReadBack writes all that the pipeline makes of the States of testdata to a switch, on the kernel's datapath where the kernel has
// one, and on a datapath that lacks what the pipeline can do without. The switch must list exactly what was written, or every comparison
// would find a difference.
func TestReadBack(t *testing.T) {
	o := ovstest.Start(t)
	o.Bridge("br0")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client := ovsdb.NewClient(o.DBSocket(), slog.New(slog.DiscardHandler))
	ended := make(chan struct{})
	serving, stop := context.WithCancel(t.Context())
	go func() { defer close(ended); _ = client.Run(serving) }()
	t.Cleanup(func() { stop(); <-ended })
	if err := client.Await(ctx, func(tables *ovsdb.Tables) (bool, error) { _, _, ok := tables.Bridge("br0"); return ok, nil }); err != nil {
		t.Fatal(err)
	}
	capabilities, err := ovsdb.NewSwitch(client, "br0").Capabilities(ctx)
	if err != nil {
		t.Fatal(err)
	}
	lacks := ofnet.LackedBy(capabilities)
	sw, err := bridge.NewOpenFlow(o.Mgmt("br0"), openflow.Options{}).Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sw.Close() })
	var have flow.Set
	for _, without := range []ofnet.Abilities{lacks, lacks | ofnet.NDExtensions, lacks | ofnet.Meters} {
		for _, names := range []string{"state services classes", "directstate"} {
			t.Run(fmt.Sprintf("%s without %q", names, without), func(t *testing.T) {
				var text string
				for name := range strings.FieldsSeq(names) {
					part, err := os.ReadFile("testdata/" + name + ".txt")
					if err != nil {
						t.Fatal(err)
					}
					text += string(part)
				}
				s := ofnettest.Parse(t, text)
				s.Missing = without
				want := pipeline.Default().CompileAll(s)
				if n := len(want.Meters); (n == 0) != without.Has(ofnet.Meters) {
					t.Errorf("a switch that lacks %q gets %d meters", without, n)
				}
				d := flow.Diff(want, have)
				if err := sw.Apply(ctx, &d); err != nil {
					t.Fatalf("a switch that lacks %q: %v", without, err)
				}
				got, err := sw.Dump(ctx, flow.Share{})
				if err != nil {
					t.Fatal(err)
				}
				if d := flow.Diff(want, got); !d.Empty() {
					t.Errorf("what the switch lists differs from what was written:\n%s", d.String())
				}
				have = got
			})
		}
	}
}

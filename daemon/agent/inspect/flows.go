// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// flows returns the switch's flows, each with its owner and a description. The query may select one owner, in the form of ownedBy, and one
// table, by name or number.
func (o *Options) flows(w http.ResponseWriter, r *http.Request) {
	owned, err := ownedBy(r.URL.Query().Get("owner"))
	if err != nil {
		text(w, http.StatusBadRequest, err.Error()+"\n")
		return
	}
	table := r.URL.Query().Get("table")
	if err := o.known(table); err != nil {
		text(w, http.StatusBadRequest, err.Error()+"\n")
		return
	}
	sample, err := o.sampler.sample(r.Context())
	if err != nil {
		text(w, http.StatusServiceUnavailable, "read the switch's flows: "+err.Error()+"\n")
		return
	}
	var words *pipeline.Glossary
	o.Forward.View(func(s *ofnet.State) { words = o.Pipeline.NewGlossary(s) })
	out := []model.Flow{}
	for i := range sample.flows {
		if !owned(sample.flows[i].Owner) {
			continue
		}
		f := o.flow(&sample.flows[i], words)
		if table == "" || f.Table == table || f.TableID == table {
			f.Rate = sample.rate(&sample.flows[i])
			if by := sample.shadow[i]; by >= 0 {
				f.Shadow = sample.flows[by].Flow.Text(o.Pipeline.Tables())
			}
			out = append(out, f)
		}
	}
	answer(w, out)
}

// known refuses an unknown table name or number; "" is all.
func (o *Options) known(table string) error {
	var names []string
	for _, t := range o.Pipeline.Tables() {
		if table == "" || t.Name == table || strconv.Itoa(int(t.ID)) == table {
			return nil
		}
		names = append(names, t.Name)
	}
	return fmt.Errorf("table %q: want one of %s, or its number", table, strings.Join(names, ", "))
}

func (o *Options) flow(l *bridge.LiveFlow, words *pipeline.Glossary) model.Flow {
	tables := o.Pipeline.Tables()
	f := model.Flow{Table: tables.Name(l.Table), TableID: strconv.Itoa(int(l.Table)), Priority: l.Priority,
		Match: words.Match(l.Match), Does: words.Actions(l.Actions), Flow: l.Flow.Text(tables), Drop: l.Actions.IsDrop(),
		Packets: l.Packets, Bytes: l.Bytes, Age: l.Seconds}
	if pipeline.Observes(&l.Flow) {
		f.Does, f.Drop = "drop, and report to the connection log", true
	}
	if owner, ok := pipeline.LeaseOf(l.Cookie); ok {
		f.Owner, f.Feature = called(owner), "leased"
	} else if l.Owner != (ofnet.Key{}) {
		f.Owner = called(l.Owner)
	}
	if n := int(l.Cookie.Feature()); n > 0 && n <= len(o.Pipeline.Features()) {
		f.Feature = o.Pipeline.Features()[n-1].Name()
	}
	return f
}

// live reads the flows of the switch.
type live func(ctx context.Context) ([]bridge.LiveFlow, error)

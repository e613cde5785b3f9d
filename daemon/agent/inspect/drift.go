package inspect

import (
	"net/http"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// drift answers with what the switch does not hold as it should.
func (o *Options) drift(w http.ResponseWriter, r *http.Request) {
	now, err := o.Forward.Check(r.Context())
	if err != nil {
		text(w, http.StatusServiceUnavailable, "compare with the switch: "+err.Error()+"\n")
		return
	}
	var words *pipeline.Glossary
	o.Forward.View(func(s *ofnet.State) { words = o.Pipeline.NewGlossary(s) })
	answer(w, http.StatusOK, model.Drift{Host: o.Status().Host, Observes: o.Observes,
		Now: o.differences(now, words), Found: o.differences(o.Forward.Drifted(), words)})
}

// repair compares, repairs what differs, and answers as drift does.
func (o *Options) repair(w http.ResponseWriter, r *http.Request) {
	if err := o.Forward.Repair(r.Context()); err != nil {
		text(w, http.StatusServiceUnavailable, "repair the switch: "+err.Error()+"\n")
		return
	}
	o.drift(w, r)
}

func (o *Options) differences(list []bridge.Difference, words *pipeline.Glossary) []model.Difference {
	out := make([]model.Difference, len(list))
	for i := range list {
		out[i] = o.difference(&list[i], words)
	}
	return out
}

func (o *Options) difference(d *bridge.Difference, words *pipeline.Glossary) model.Difference {
	tables := o.Pipeline.Tables()
	out := model.Difference{At: d.At.UTC().Format(time.RFC3339), Sort: string(d.Sort), What: "changed"}
	if d.Owner != (ofnet.Key{}) {
		out.Owner = d.Owner.String()
	}
	seen := d.Want
	switch {
	case d.Was == nil:
		out.What = "removed"
	case d.Want == nil:
		out.What, seen = "added", d.Was
	}
	if d.Was != nil {
		out.Was = d.Was.Text(tables)
	}
	if d.Want != nil {
		out.Want = d.Want.Text(tables)
	}
	if f := seen.Flow; f != nil {
		out.Table = tables.Name(f.Table)
		out.What += ": " + words.Match(f.Match)
	}
	return out
}

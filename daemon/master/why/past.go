// SPDX-License-Identifier: Apache-2.0

package why

import (
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
)

// past is the earlier moment that an Explainer explains.
type past struct {
	at  time.Time
	log history.Log // up to the moment
}

// AtMoment returns an Explainer about the objects of an earlier moment, which c has. Its answers have the verdict of the objects: no switch can be asked about it.
// log is the history up to the moment.
func AtMoment(c *catalog.Catalog, log history.Log, at time.Time) *Explainer {
	return &Explainer{catalog: c, past: &past{at, log}}
}

// ask answers a request about the moment.
func (p *past) ask(a *Explainer, q model.WhyRequest, out model.Why) (model.Why, error) {
	if q.Probe {
		return out, model.Errorf(model.CodeInvalid, "probe", "no packet can be sent at an earlier moment").Try("leave out probe, or at")
	}
	var from, to end
	var err error
	a.catalog.View(func(v *catalog.View) {
		if from, to, err = both(v, q); err != nil {
			return
		}
		agree(&from, &to)
		out.Intent = intend(v, from, to, q)
	})
	if err != nil {
		return out, p.missing(err)
	}
	out.From, out.To, out.Changed = from.shown(), to.shown(), changed(p.log, from, to, out.Intent)
	out.At, out.IntentOnly = p.at.UTC(), true
	out.Verdict, out.Forward.Verdict = out.Intent.Verdict, model.VerdictUnknown
	out.Text = "By the objects of " + out.At.Format(time.RFC3339) + ": " + out.Intent.Text + ". The switches of that moment cannot be asked."
	out.Next = p.next(&out)
	return out, nil
}

// missing adds to the error about a name what of the moment is not known.
func (p *past) missing(err error) error {
	e, ok := err.(*model.Error)
	if !ok || e.Code != model.CodeNotFound {
		return err
	}
	return model.Errorf(e.Code, e.Field, "%s at %s", e.Message, p.at.UTC().Format(time.RFC3339)).
		Try("%s; hosts and services of Kubernetes of an earlier moment are not recorded; netctl get endpoints --at %s shows the containers of then", e.Remedy, p.at.UTC().Format(time.RFC3339))
}

// next returns the command that shows more: the history of the rule that decides, or the matrix of the moment.
func (p *past) next(w *model.Why) string {
	switch {
	case w.Intent.In != "" && w.Verdict == model.VerdictDenied:
		return "netctl history rule " + w.Intent.In
	case w.Intent.Out != "":
		return "netctl history rule " + w.Intent.Out
	case w.Intent.In != "":
		return "netctl history rule " + w.Intent.In
	case w.From.Tenant != "":
		return "netctl matrix -t " + w.From.Tenant + " --at " + p.at.UTC().Format(time.RFC3339Nano)
	}
	return "netctl history"
}

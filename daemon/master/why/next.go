// SPDX-License-Identifier: Apache-2.0

package why

import (
	"strings"

	"github.com/contiv/contiv/api/model"
)

// next returns the command that shows more about an answer.
func next(w *model.Why) string {
	from, to := named(&w.From), named(&w.To)
	rule := w.Intent.In
	if rule == "" {
		rule = w.Intent.Out
	}
	hop := lastHop(w)
	switch {
	case w.Verdict == model.VerdictDisagree && hop != nil:
		return "netctl drift " + hop.Host
	case w.Verdict == model.VerdictUnknown && hop != nil && !hop.Outside:
		return "netctl node ls -o wide"
	case w.Verdict == model.VerdictDenied && w.Intent.Verdict == model.VerdictDenied && rule != "":
		return "netctl history rule " + rule
	case w.From.Kind == kindEndpoint && w.Verdict == model.VerdictAllowed && w.Probe == nil:
		return "netctl why " + strings.Join([]string{from, to, w.Traffic()}, " ") + " --probe"
	case w.From.Kind == kindEndpoint && w.To.Kind == kindEndpoint:
		return "netctl capture " + from + " " + to
	case w.From.Kind == kindEndpoint:
		return "netctl capture " + from
	case w.To.Kind == kindEndpoint:
		return "netctl capture " + to
	}
	return "netctl node ls -o wide"
}

// named returns an end in the form of commands: its kind and its full name.
func named(e *model.WhyEnd) string {
	if e.Kind == kindAddress {
		return e.Object
	}
	return e.Kind + "/" + e.Object
}

// lastHop returns the last hop of the path; nil if no switch was asked.
func lastHop(w *model.Why) *model.WhyHop {
	if n := len(w.Reverse.Hops); n > 0 && w.Reverse.Verdict != model.VerdictAllowed {
		return &w.Reverse.Hops[n-1]
	}
	if n := len(w.Forward.Hops); n > 0 {
		return &w.Forward.Hops[n-1]
	}
	return nil
}

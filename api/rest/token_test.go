// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"net/url"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/selector"
)

// A token continues after its key, only in its own list.
func TestToken(t *testing.T) {
	of := token{Kind: "endpoint", Fields: "homingHost=h1", Labels: "app=web"}
	made := of
	made.After = "default:n:a"
	if after, err := of.position(made.String()); err != nil || after != "default:n:a" {
		t.Errorf("its own list: want the key, got %q, %v", after, err)
	}
	for name, other := range map[string]token{
		"another kind":   {Kind: "network", Fields: of.Fields, Labels: of.Labels},
		"other fields":   {Kind: of.Kind, Labels: of.Labels},
		"other labels":   {Kind: of.Kind, Fields: of.Fields, Labels: "app=db"},
		"fields swapped": {Kind: of.Kind, Fields: of.Labels, Labels: of.Fields},
	} {
		if _, err := other.position(made.String()); model.AsError(err).Field != continueParameter {
			t.Errorf("%s: want a refusal of continue, got %v", name, err)
		}
	}
}

// Parameters are understood or refused with their name and the remedy; what is understood is what was sent.
func FuzzQuery(f *testing.F) {
	of := token{Kind: "endpoint", Fields: "homingHost=h1", After: "default:n:a"}
	f.Add("5", of.String(), "homingHost=h1", "")
	f.Add("-1", "e30", "=", "a in (b")
	f.Add("99999999999999999999", "%", "", "!x")
	f.Fuzz(func(t *testing.T, limit, next, fields, labels string) {
		values := url.Values{limitParameter: {limit}, continueParameter: {next}, selector.Fields: {fields}, selector.Labels: {labels}}
		q, _, err := queryOf(model.KindEndpoint(), values)
		if err != nil {
			if e := model.AsError(err); e.Code != model.CodeInvalid || e.Field == "" || e.Remedy == "" {
				t.Errorf("%v: want a refusal with field and remedy, got %#v", values, e)
			}
			return
		}
		if q.Limit < 0 || (next == "") != (q.After == "") {
			t.Errorf("%v is understood as %+v", values, q)
		}
	})
}

// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
)

// Do executes a line, and returns its result as text. A line is
//
//	KIND NAME field=value...   an object is created, or these fields of it changed; NAME is its key without the tenant
//	rm KIND NAME
//	apply KIND NAME field=value...   like the first form, but as netctl apply does it
//
// or begins with one of the verbs for endpoints and addresses, below. Commas separate the values of a list; the tenant is default unless
// tenantName is set.
func (w *World) Do(line string) (said string, err error) {
	words, fields := []string{}, map[string]string{}
	for word := range strings.FieldsSeq(line) {
		if name, value, ok := strings.Cut(word, "="); ok {
			fields[name] = value
		} else {
			words = append(words, word)
		}
	}
	if do := verbs()[words[0]]; do != nil {
		return do(w, append(words[1:], "", "")[:2], fields)
	}
	remove, apply := words[0] == "rm", words[0] == "apply"
	if remove || apply {
		words = words[1:]
	}
	k, ok := model.KindOf(words[0])
	if !ok {
		return "", fmt.Errorf("there is no kind %s", words[0])
	}
	o, err := w.object(k, words[1], tenantOf(fields), fields)
	if err == nil && !remove {
		err = o.Validate()
	}
	if err != nil {
		return "", err
	}
	ctx := context.Background()
	_, err = w.Commit.InTurn(ctx, func(tx *commit.Tx) error {
		switch {
		case remove:
			return w.Admit.Remove(tx, k, o.ObjectKey())
		case apply:
			_, err := w.Admit.Apply(context.Background(), tx, []model.Object{o.Clone()}, admit.How{})
			return err
		}
		return w.Admit.Put(tx, o.Clone())
	})
	if err == nil && remove && k == model.KindPolicy() {
		_, err = derive.Clear(ctx, w.Commit, o.ObjectKey())
	}
	return "", err
}

func tenantOf(fields map[string]string) string { return cmp.Or(fields["tenantName"], "default") }

// Must executes lines and fails the test if one is refused.
func (w *World) Must(tb testing.TB, lines ...string) {
	tb.Helper()
	for _, line := range lines {
		if _, err := w.Do(line); err != nil {
			tb.Fatalf("%s: %s", line, Say(err))
		}
	}
}

// object returns the object of a line: the existing one, with the line's fields.
func (w *World) object(k *model.Kind, name, tenant string, fields map[string]string) (model.Object, error) {
	values := map[string]any{}
	names := strings.Split(name, ":")
	for _, f := range k.Key {
		if f == "tenantName" && k != model.KindTenant() {
			values[f] = tenant
		} else if len(names) > 0 {
			values[f], names = names[0], names[1:]
		}
	}
	for name, text := range fields {
		i := slices.IndexFunc(k.Fields, func(f model.Field) bool { return f.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("%s has no field %s", k.Name, name)
		}
		switch k.Fields[i].Type {
		case model.Int:
			n, err := strconv.Atoi(text)
			if err != nil {
				return nil, fmt.Errorf("%s is a number: %w", name, err)
			}
			values[name] = n
		case model.Strings:
			values[name] = slices.DeleteFunc(strings.Split(text, ","), func(one string) bool { return one == "" })
		default:
			values[name] = text
		}
	}
	text, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	o := k.New()
	if err := json.Unmarshal(text, o); err != nil {
		return nil, err
	}
	w.Catalog.View(func(v *catalog.View) {
		if old := v.Object(k, o.ObjectKey()); old != nil {
			o = old.Clone()
		}
	})
	if err := json.Unmarshal(text, o); err != nil {
		return nil, err
	}
	o.SetKey(o.ObjectKey())
	o.SetDefaults()
	return o, nil
}

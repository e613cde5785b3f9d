// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
)

// questions are whether netmaster would make the change: it tries, and changes nothing.
func (b *confirm) questions(*feed.Snapshot) (out []feed.Question) {
	for _, key := range b.change.Keys {
		out = append(out, b.dryRun(key))
	}
	return out
}

// dryRun is the question about one object of the change.
func (b *confirm) dryRun(key string) feed.Question {
	kind, object := b.change.Kind, b.change.Object
	request := model.ApplyRequest{Delete: object == nil, DryRun: true}
	request.Objects = []model.ApplyObject{{Kind: kind.Name, Fields: fieldsOf(kind, object, key)}}
	text, err := json.Marshal(request)
	if err != nil { // texts, numbers and lists of texts always are JSON
		text = nil
	}
	return feed.Question{Topic: feed.DryRun, Kind: kind.Name, Key: key, Detail: string(text)}
}

// fieldsOf are the fields of an object that are set; without an object, those of its key, which are all that a deletion needs.
func fieldsOf(k *model.Kind, object model.Object, key string) map[string]any {
	out := map[string]any{}
	parts := k.Parts(key)
	for i, name := range k.Key {
		if i < len(parts) {
			out[name] = parts[i]
		}
	}
	if object == nil {
		return out
	}
	for _, f := range k.Fields {
		if v := object.Field(f.Name); v != nil && !reflect.ValueOf(v).IsZero() {
			out[f.Name] = v
		}
	}
	return out
}

// refusals are netmaster's errors for those objects whose change it would refuse.
func (b *confirm) refusals(s *feed.Snapshot) (out []string) {
	for _, q := range b.questions(s) {
		if v, a, ok := feed.Of[feed.DryRunResult](s, q); ok && a.Err == "" && v.Refused != "" {
			out = append(out, v.Refused)
		}
	}
	return out
}

// dryRunLine describes netmaster's result for one object.
func (b *confirm) dryRunLine(c Canvas, s *feed.Snapshot, key string) string {
	t := c.Theme
	v, a, ok := feed.Of[feed.DryRunResult](s, b.dryRun(key))
	switch {
	case a.Err != "":
		return t.Paint(theme.Warn, "? dry run failed; netmaster may refuse the change: "+a.Err)
	case !ok:
		return t.Paint(theme.Held, t.Glyphs.Half+" dry run in progress")
	case v.Refused != "":
		return t.Paint(theme.Bad, t.Glyphs.Cross+" dry run: netmaster refuses the change: "+v.Refused)
	case len(v.Results) == 1 && v.Results[0].Action == model.ActionAbsent:
		return t.Paint(theme.Dim, "it no longer exists: nothing to delete")
	}
	return t.Paint(theme.Good, t.Glyphs.Dot+" dry run passed")
}

// forwarding is what the change of one object concerns now, as netmaster's dry run has found; known is false as long as it has not answered.
func (b *confirm) forwarding(s *feed.Snapshot, key string) (text string, known bool) {
	v, a, ok := feed.Of[feed.DryRunResult](s, b.dryRun(key))
	if !ok || a.Err != "" || v.Refused != "" {
		return "", false
	}
	for i := range v.Results {
		if of := v.Results[i].Affected; of != nil {
			text = of.String()
		}
	}
	return text, true
}

// problem is what is wrong with an edited change; "" when nothing is known to be.
func (b *confirm) problem(s *feed.Snapshot) string {
	if all := b.refusals(s); b.wrong == "" && len(all) > 0 {
		return all[0]
	}
	return b.wrong
}

// commentPrefix is the prefix of a line of a draft that describes its error.
const commentPrefix = "#! "

// withComments is a draft with a problem as its first lines, in place of those before.
func withComments(draft []byte, problem string) []byte {
	var b bytes.Buffer
	for line := range strings.Lines(problem) {
		b.WriteString(commentPrefix + strings.TrimRight(line, "\r\n") + "\n")
	}
	for line := range bytes.Lines(draft) {
		if !bytes.HasPrefix(line, []byte(commentPrefix)) {
			b.Write(line)
		}
	}
	return b.Bytes()
}

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

// Questions are whether netmaster would carry the change out: it tries, and changes nothing.
func (p *Confirm) Questions(s *feed.Snapshot) (out []feed.Question) {
	if p.unread() {
		return nil
	}
	for _, key := range p.change.Keys() {
		out = append(out, p.trial(s, key))
	}
	return out
}

// trial is the question about one object of the change.
func (p *Confirm) trial(s *feed.Snapshot, key string) feed.Question {
	request := model.ApplyRequest{Delete: p.change.Object == nil, DryRun: true}
	object := p.change.Object
	if object == nil {
		object = find(s, p.change.Kind, key)
	}
	request.Objects = []model.ApplyObject{{Kind: p.change.Kind.Name, Fields: fieldsOf(p.change.Kind, object, key)}}
	text, err := json.Marshal(request)
	if err != nil { // texts, numbers and lists of texts always are JSON
		text = nil
	}
	return feed.Question{Topic: feed.Trial, Kind: p.change.Kind.Name, Key: key, Detail: string(text)}
}

// fieldsOf are the fields of an object that are set, or those of its key when it is not there.
func fieldsOf(k *model.Kind, object model.Object, key string) map[string]any {
	out := map[string]any{}
	parts := strings.SplitN(key, ":", len(k.Key))
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

// refusals are what netmaster said of those objects that it would refuse to change.
func (p *Confirm) refusals(s *feed.Snapshot) (out []string) {
	for _, q := range p.Questions(s) {
		if v, a, ok := feed.Of[feed.Verdict](s, q); ok && a.Err == "" && v.Refused != "" {
			out = append(out, v.Refused)
		}
	}
	return out
}

// trialLine tells what netmaster said of one object.
func (p *Confirm) trialLine(c Canvas, s *feed.Snapshot, key string) string {
	t := c.Theme
	v, a, ok := feed.Of[feed.Verdict](s, p.trial(s, key))
	switch {
	case a.Err != "":
		return t.Paint(theme.Warn, "? netmaster may refuse it: it could not be asked: "+a.Err)
	case !ok:
		return t.Paint(theme.Held, t.Glyphs.Half+" netmaster is asked whether it would do it; until then it may refuse")
	case v.Refused != "":
		return t.Paint(theme.Bad, t.Glyphs.Cross+" netmaster refuses it: "+v.Refused)
	}
	return t.Paint(theme.Good, t.Glyphs.Dot+" netmaster would do it")
}

// complaint is what is wrong with an edited change; "" when nothing is known to be.
func (p *Confirm) complaint(s *feed.Snapshot) string {
	if all := p.refusals(s); p.wrong == "" && len(all) > 0 {
		return all[0]
	}
	return p.wrong
}

// remark begins a line of a draft that tells what was wrong with it.
const remark = "#! "

// remarked is a draft with a complaint as its first lines, in place of those before.
func remarked(draft []byte, complaint string) []byte {
	var b bytes.Buffer
	for line := range strings.Lines(complaint) {
		b.WriteString(remark + strings.TrimRight(line, "\r\n") + "\n")
	}
	for line := range bytes.Lines(draft) {
		if !bytes.HasPrefix(line, []byte(remark)) {
			b.Write(line)
		}
	}
	return b.Bytes()
}

package desired

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// imageFlows are the flows of the rules that an agent makes of the image of a store.
func imageFlows(t *testing.T, name string) (out flow.Set) {
	t.Helper()
	text, err := os.ReadFile("../../record/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var image map[string]json.RawMessage
	if err := json.Unmarshal(text, &image); err != nil {
		t.Fatal(err)
	}
	r, s := newRecords("h1"), ofnet.NewState("h1")
	for key, value := range image {
		if err := r.put(store.Item{Key: key, Value: value}); err != nil {
			t.Error(err)
		}
	}
	r.translate(newRecords("h1"), s)
	p := pipeline.Default()
	for _, owner := range s.Owners() {
		if owner.Kind == ofnet.KindPolicy {
			out.Merge(p.Compile(s, owner))
		}
	}
	return out
}

// What an earlier build has written means, flow by flow, what the leader of this build makes of it.
func TestImagesMeanTheSame(t *testing.T) {
	older, present := imageFlows(t, "older-build.json"), imageFlows(t, "present-build.json")
	tables := pipeline.Default().Tables()
	if d := flow.Diff(present, older); !d.Empty() {
		t.Errorf("what the earlier build has written lacks or has wrongly\n%s", d.Text(tables))
	}
	const rules = 10 + 12 // of web, and of db
	if len(present.Flows) < rules {
		t.Errorf("want the flows of %d rules, got\n%s", rules, present.Text(tables))
	}
}

package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

type person struct {
	Name  string   `json:"name"`
	Clubs []string `json:"clubs,omitempty"`
}

var people = store.Table[person]{Prefix: "/people/"}

func TestTx(t *testing.T) {
	var tx store.Tx
	tx.Under(store.Fence{Key: "lock", Created: 3})
	tx.Require("a", 5)
	tx.Put("a", []byte("1"))
	tx.Put("b", []byte("1"))
	tx.Put("a", []byte("22"))
	tx.Delete("b")
	want := "fence lock created@3\nrequire a @5\nput a 22\ndelete b\n"
	if got := tx.String(); got != want {
		t.Errorf("want\n%s, got\n%s", want, got)
	}
	if got := tx.Size(); got != 4+1+3+1 {
		t.Errorf("size: want 9, got %d", got)
	}
	for _, tt := range []struct {
		limits store.Limits
		want   error
	}{
		{store.Limits{Ops: 4, Bytes: 9}, nil},
		{store.Limits{Ops: 3, Bytes: 9}, store.ErrTooLarge},
		{store.Limits{Ops: 4, Bytes: 8}, store.ErrTooLarge},
	} {
		if err := tt.limits.Check(&tx); !errors.Is(err, tt.want) {
			t.Errorf("%+v: want %v, got %v", tt.limits, tt.want, err)
		}
	}
}

func TestTable(t *testing.T) {
	db, ctx := memory.New(), t.Context()
	commit := func(want error, build func(tx *store.Tx) error) store.Revision {
		t.Helper()
		var tx store.Tx
		if err := build(&tx); err != nil {
			t.Fatal(err)
		}
		rev, err := db.Commit(ctx, &tx)
		if !errors.Is(err, want) {
			t.Errorf("commit\n%s: want %v, got %v", &tx, want, err)
		}
		return rev
	}
	ann := func(tx *store.Tx) error { return people.Create(tx, "ann/1", person{Name: "Ann"}) }
	rev := commit(nil, ann)
	commit(store.ErrConflict, ann)
	r, err := people.Read(ctx, db, "ann/1")
	if err != nil || r.ID != "ann/1" || r.Value.Name != "Ann" || r.Revision != rev || r.Created != rev {
		t.Errorf("read: got %+v (%v)", r, err)
	}
	r.Value.Name = "Anna"
	change := func(tx *store.Tx) error { return people.Update(tx, r) }
	commit(nil, change)
	commit(store.ErrConflict, change)
	commit(nil, func(tx *store.Tx) error {
		tx.Put("/people/bad", []byte("{"))
		return people.Put(tx, "bob", person{Name: "Bob"})
	})
	list, _, err := people.List(ctx, db)
	if len(list) != 2 || list[0].Value.Name != "Anna" || err == nil || !strings.Contains(err.Error(), "/people/bad") {
		t.Errorf("list: want Anna, Bob and an error that names /people/bad, got %+v (%v)", list, err)
	}
	commit(nil, func(tx *store.Tx) error { people.Delete(tx, "bob"); return nil })
	if _, err := people.Read(ctx, db, "bob"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("want %v, got %v", store.ErrNotFound, err)
	}
	if _, ok := people.ID("/people/"); ok {
		t.Error("a prefix is no record")
	}
	if err := (store.Table[chan int]{Prefix: "/x/"}).Put(&store.Tx{}, "a", nil); err == nil {
		t.Error("a value that is no JSON: want an error")
	}
}

func newView() *store.View[person] {
	return store.NewView(people, map[string]func(store.Record[person]) []string{
		"club": func(r store.Record[person]) []string { return r.Value.Clubs },
	})
}

func row(rev store.Revision, id string, clubs ...string) store.Item {
	return store.Item{Key: people.Key(id), Value: fmt.Appendf(nil, `{"name":%q,"clubs":["%s"]}`, id, strings.Join(clubs, `","`)), Revision: rev, Created: 1}
}

func ids(list []store.Record[person]) []string {
	var names []string
	for _, r := range list {
		names = append(names, r.ID)
	}
	return names
}

func TestView(t *testing.T) {
	steps := []struct {
		name    string
		in      store.Update
		changed []string
		chess   []string
		golf    []string
		fails   bool
	}{
		{"full", store.Update{Full: true, Items: []store.Item{row(1, "ann", "chess"), row(2, "bob", "chess", "golf"), {Key: "/other", Revision: 9}}, Revision: 2},
			[]string{"ann", "bob"}, []string{"ann", "bob"}, []string{"bob"}, false},
		{"moved", store.Update{Items: []store.Item{row(3, "ann", "golf")}, Revision: 3}, []string{"ann"}, []string{"bob"}, []string{"ann", "bob"}, false},
		{"the same again", store.Update{Items: []store.Item{row(3, "ann", "golf")}, Revision: 3}, nil, []string{"bob"}, []string{"ann", "bob"}, false},
		{"gone", store.Update{Gone: []string{people.Key("bob"), people.Key("eve"), "/other"}, Revision: 4}, []string{"bob"}, nil, []string{"ann"}, false},
		{"rubbish", store.Update{Items: []store.Item{{Key: people.Key("ann"), Value: []byte("{"), Revision: 5}, row(5, "eve", "chess")}, Revision: 5},
			[]string{"ann", "eve"}, []string{"eve"}, nil, true},
		{"full after a gap", store.Update{Full: true, Items: []store.Item{row(6, "dan", "golf")}, Revision: 6}, []string{"dan", "eve"}, nil, []string{"dan"}, false},
	}
	v := newView()
	for _, tt := range steps {
		before := v.Changed()
		changed, err := v.Apply(tt.in)
		if (err != nil) != tt.fails || !slices.Equal(changed, tt.changed) {
			t.Errorf("%s: want %v changed, got %v (%v)", tt.name, tt.changed, changed, err)
		}
		if got := ids(v.By("club", "chess")); !slices.Equal(got, tt.chess) {
			t.Errorf("%s: chess: want %v, got %v", tt.name, tt.chess, got)
		}
		if got := ids(v.By("club", "golf")); !slices.Equal(got, tt.golf) {
			t.Errorf("%s: golf: want %v, got %v", tt.name, tt.golf, got)
		}
		if err := v.Wait(t.Context(), tt.in.Revision); err != nil || v.Revision() != tt.in.Revision {
			t.Errorf("%s: revision: want %d, got %d (%v)", tt.name, tt.in.Revision, v.Revision(), err)
		}
		<-before
	}
	if r, ok := v.Get("dan"); !ok || r.Value.Name != "dan" || v.Len() != 1 {
		t.Errorf("dan: got %+v, %v", r, ok)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := v.Wait(ctx, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("wait: want %v, got %v", context.Canceled, err)
	}
}

// TestViewModel compares a view that got changes with one that got everything.
func TestViewModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		state := map[string]store.Item{}
		v := newView()
		if _, err := v.Apply(store.Update{Full: true}); err != nil {
			t.Fatal(err)
		}
		for rev := store.Revision(1); rev < 30; rev++ {
			id := rapid.StringMatching("[a-e]").Draw(t, "id")
			u := store.Update{Revision: rev, Full: rapid.Bool().Draw(t, "full")}
			if rapid.Bool().Draw(t, "delete") {
				delete(state, id)
				u.Gone = []string{people.Key(id)}
			} else {
				state[id] = row(rev, id, rapid.StringMatching("[xy]").Draw(t, "club"))
				u.Items = []store.Item{state[id]}
			}
			if u.Full {
				u.Items, u.Gone = nil, nil
				for _, i := range state {
					u.Items = append(u.Items, i)
				}
			}
			if _, err := v.Apply(u); err != nil {
				t.Fatal(err)
			}
		}
		whole := newView()
		full := store.Update{Full: true}
		for _, i := range state {
			full.Items = append(full.Items, i)
		}
		if _, err := whole.Apply(full); err != nil {
			t.Fatal(err)
		}
		if got, want := ids(slices.Collect(v.All())), ids(slices.Collect(whole.All())); !slices.Equal(got, want) {
			t.Fatalf("want %v, got %v", want, got)
		}
		for _, club := range []string{"x", "y"} {
			if got, want := ids(v.By("club", club)), ids(whole.By("club", club)); !slices.Equal(got, want) {
				t.Fatalf("club %s: want %v, got %v", club, want, got)
			}
		}
	})
}

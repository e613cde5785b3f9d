package command

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
)

// A table without differences says so beside itself; what programs read stays as it is.
func TestDriftOfNothing(t *testing.T) {
	found := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/api/v1/nodes" {
			_, _ = w.Write([]byte(`[{"role":"` + string(model.RoleAgent) + `","name":"h1"}]`))
			return
		}
		_, _ = w.Write([]byte(`{"host":"h1","now":[],"found":[` + found + `]}`))
	}))
	defer s.Close()
	const header = "Host  When  At  Sort  Owner  What\n----  ----  --  ----  -----  ----\n"
	for _, r := range []struct{ line, found, out, err string }{
		{"drift", "", header, "nothing differs\n"},
		{"drift h1", "", header, "nothing differs\n"},
		{"drift -o jsonpath={[0].host}", "", "h1\n", ""},
		{"drift", `{"sort":"flow","what":"added"}`, "Host  When   At  Sort  Owner   What\n----  ----   --  ----  -----   ----\nh1    found      flow  nobody  added\n", ""},
	} {
		found = r.found
		if got := netctl(t, t.Context(), s.URL, strings.Fields(r.line)...); got.code != 0 || got.out != r.out || got.err != r.err {
			t.Errorf("netctl %s: want %q and %q, got %q and %q, exit %d", r.line, r.out, r.err, got.out, got.err, got.code)
		}
	}
}

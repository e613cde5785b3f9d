package feed

import (
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// An event of an endpoint says what that is called, when it goes too, and nothing where there is no name but its id.
func TestEventsOfEndpoints(t *testing.T) {
	s := newStore("", time.Now)
	rows := []struct{ id, object, want string }{
		{"4f0c", `{"key":"t:n:4f0c","endpointID":"4f0c","containerName":"desk"}`, "desk"},
		{"9b1d", `{"key":"t:n:9b1d","endpointID":"9b1d","containerName":"k8s_web","pod":"shop/web"}`, "shop/web"},
		{"db", `{"key":"t:n:db","endpointID":"db","containerName":"db"}`, ""},
		{"mail", `{"key":"t:n:mail","endpointID":"mail"}`, ""},
	}
	for i, row := range rows {
		for at, e := range []model.Event{{Type: model.EventPut, Object: []byte(row.object)}, {Type: model.EventDelete}} {
			e.Kind, e.Key, e.Revision = model.KindEndpoint().Name, "t:n:"+row.id, uint64(2*i+at+1)
			s.event(e)
			all := s.snapshot().Events
			if got := all[len(all)-1]; got.Text != row.want || got.Type != e.Type {
				t.Errorf("%s of %s: want %q, got %+v", e.Type, row.id, row.want, got)
			}
		}
	}
}

package derive_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/memory"
)

// Groups that get a large policy at the same time: whoever has the answer finds the records of his group written, whatever the settler
// was at when the change came.
func TestAnsweredWhenWritten(t *testing.T) {
	const rules, groups = 100, 24
	m := mastertest.Start(t, mastertest.Options{Store: &narrow{Store: memory.New()}})
	m.Must(t, "network net1 encap=vlan subnet=10.1.1.0/24", "policy p1")
	fillPolicy(t, m, rules)
	written := func(group string) (n int) {
		m.Catalog.View(func(v *catalog.View) {
			for _, id := range v.PolicyRulesFor(model.Key("default", group)) {
				if strings.HasPrefix(id, record.AttachedPolicyID("default", group, "p1")) {
					n++
				}
			}
		})
		return n
	}
	var all sync.WaitGroup
	for i := range groups {
		all.Go(func() {
			name := fmt.Sprintf("g%d", i)
			g := &model.EndpointGroup{TenantName: "default", GroupName: name, NetworkName: "net1", Policies: []string{"p1"}}
			if _, err := m.EndpointGroups().Put(context.Background(), g); err != nil {
				t.Error(err)
			} else if got := written(name); got != 2*rules {
				t.Errorf("group %s is answered with %d of %d records", name, got, 2*rules)
			}
		})
	}
	all.Wait()
}

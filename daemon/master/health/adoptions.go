package health

import (
	"fmt"

	"github.com/contiv/contiv/api/model"
)

// adoptions finds endpoints that run and contradict the store.
func adoptions(s *Snapshot) (out []model.Finding) {
	for _, a := range s.Adoptions {
		out = append(out, model.Finding{Code: "adoption-conflict", Severity: model.SeverityError, Object: "endpoint/" + a.Name, Host: a.Host,
			Evidence: fmt.Sprintf("endpoint %s runs on host %s with address %s, and the store does not have it: %s", a.Name, a.Host, a.Address, a.Reason),
			Remedy:   fmt.Sprintf("decide which one stays: netctl adopt accept %s, or netctl adopt drop %s", a.Name, a.Name), Next: "netctl adopt ls"})
	}
	return out
}

package commit

import (
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// overlay is what the requests of a batch see of each other.
type overlay struct {
	endpoints map[identity.Endpoint]*record.Endpoint // put, or nil: deleted
	claimed   map[string]struct{}                    // store keys that one of the requests has taken over
	providers map[identity.Service]*record.Provider  // of services, put
}

func newOverlay() *overlay {
	return &overlay{endpoints: map[identity.Endpoint]*record.Endpoint{}, claimed: map[string]struct{}{}, providers: map[identity.Service]*record.Provider{}}
}

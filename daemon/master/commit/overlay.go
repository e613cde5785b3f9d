package commit

import "github.com/contiv/contiv/daemon/record"

// overlay is what the requests of a batch see of each other.
type overlay struct {
	endpoints map[string]*record.Endpoint // put, or nil: deleted
	claimed   map[string]struct{}         // store keys that one of the requests has taken over
	providers map[string]*record.Provider // of services, put
}

func newOverlay() *overlay {
	return &overlay{endpoints: map[string]*record.Endpoint{}, claimed: map[string]struct{}{}, providers: map[string]*record.Provider{}}
}

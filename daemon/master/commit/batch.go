package commit

import "github.com/contiv/contiv/daemon/record"

// batch is what requests of one transaction share.
type batch struct {
	endpoints map[string]*record.Endpoint // put, or nil: deleted
	claimed   map[string]struct{}         // store keys that one of the requests has taken over
	providers map[string]*record.Provider // of services, put
}

func newBatch() *batch {
	return &batch{endpoints: map[string]*record.Endpoint{}, claimed: map[string]struct{}{}, providers: map[string]*record.Provider{}}
}

package record

// Prefixes under which earlier builds kept records by ids of the original's forms. The values are the same. A leader moves what it finds
// there; agents read both until then.
const (
	FormerNetworks   = State + "nets/"
	FormerEndpoints  = State + "eps/"
	FormerGroups     = State + "endpointGroups/"
	FormerServiceLBs = State + "serviceLB/"
	FormerProviders  = State + "provider/"
)

// SPDX-License-Identifier: Apache-2.0

package record

// Prefixes under which earlier builds kept records by ids of the original's forms. The values are the same. A leader moves such records;
// agents read both until then.
const (
	LegacyNetworks   = State + "nets/"
	LegacyEndpoints  = State + "eps/"
	LegacyGroups     = State + "endpointGroups/"
	LegacyServiceLBs = State + "serviceLB/"
	LegacyProviders  = State + "provider/"
)

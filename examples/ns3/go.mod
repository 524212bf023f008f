module github.com/sluicefc/sluice/examples/ns3

go 1.26.0

replace github.com/sluicefc/sluice => ../../

require (
	github.com/sluicefc/sluice v0.0.0-00010101000000-000000000000
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	google.golang.org/protobuf v1.36.6 // indirect
)

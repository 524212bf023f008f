module outsider.example

go 1.26.0

replace github.com/sluicefc/sluice => ../../..

require github.com/sluicefc/sluice v0.0.0-00010101000000-000000000000

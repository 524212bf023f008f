// Numbers as Go's package view writes them.

/** Reader reads variable-length integers. */
export class Reader {
  private at = 0
  constructor(private readonly bytes: Uint8Array) {}

  unsigned(): number {
    let value = 0, weight = 1
    for (;;) {
      const b = this.bytes[this.at++]
      value += (b & 127) * weight
      if (b < 128) return value
      weight *= 128
    }
  }

  signed(): number {
    const u = this.unsigned()
    return u % 2 === 0 ? u / 2 : -(u + 1) / 2
  }
}

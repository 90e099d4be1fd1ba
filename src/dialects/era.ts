/** The eras of MCP. `modern`: revision 2026-07-28 and later, without sessions; `legacy`: everything before. */
export type Era = 'modern' | 'legacy';

import { openGateway } from 'skillwire/gateway';
import { serve } from 'skillwire/node';

export const gateway = await openGateway('./skillwire.json', { onEvent: console.log });
export const handle = await serve({ source: gateway.source, gateway, http: { host: '127.0.0.1', port: 0 } });
console.table(gateway.origins());

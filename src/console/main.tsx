// Starts the console in the page that the server sends.
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { applyTheme, theme } from './app/theme.js';
import './styles/main.css';

applyTheme(theme());
const root = document.getElementById('console');
if (root !== null) createRoot(root).render(<App />);
